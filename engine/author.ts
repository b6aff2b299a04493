/** What seed sets and migrations are written with; they import this and `tables`, nothing else of the engine. */

export * from './core/migrate/define-migration.ts';
export * from './core/migrate/derived-backfill.ts';
export * from './core/seed/define-seed.ts';
