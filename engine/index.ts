/** What applications, migrations and seeds import: `import { defineTable, openReader } from 'tablewright'`. */
export * from '../tables/model/archive.ts';
export { TablewrightError } from '../tables/model/error.ts';
export { defineProject, type PatternName, type Project } from '../tables/model/project.ts';
export * from './application.ts';
export * from './author.ts';
