import { defineProject } from 'tablewright';
import { tickets } from './tables.ts';

export default defineProject({ name: 'desk', tables: { tickets } });
