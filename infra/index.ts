/** Pulumi's entry: a default export and nothing else, because it refuses an ESM entry that has both kinds. */
export { program as default } from './program.ts';
