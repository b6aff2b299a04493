import project from '../tablewright.config.ts';
import { deployTables } from './program.ts';

/** Pulumi's entry: a default export and nothing else, because it refuses an ESM entry that has both kinds. */
export default deployTables(project);
