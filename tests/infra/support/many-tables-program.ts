import { deployProject } from '../../../infra/program.ts';
import { manyTables } from './many-tables.ts';

/** The program over a catalogue of 40 tables, for Pulumi's own entry point: a default export and nothing else. */
export default () => deployProject({ catalogue: manyTables(40, 4), released: {}, allowed: [] });
