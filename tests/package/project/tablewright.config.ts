import { defineProject } from 'tablewright';
import { parcels } from './tables/parcels.ts';

export default defineProject({ name: 'parcel-shop', tables: { parcels } });
