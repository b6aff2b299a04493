/** What tests of a project import: `import { openTestBed, proveMigration } from 'tablewright/testing'`. */
export type { ReadEnvironment } from './run/read/read-pattern.ts';
export { type ProofBed, type ProofOptions, proveMigration } from './testing/prove-migration.ts';
export { openTestBed, type TestBed, type TestBedOptions } from './testing/test-bed.ts';
