import { defineProject } from 'tablewright';
import { parcels } from './tables/parcels.ts';

/** For the compiler of this repository alone: the test adds its lines to the file that `init` wrote. */
export default defineProject({ name: 'parcel-shop', tables: { parcels } });
