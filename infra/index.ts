import project from '../tablewright.config.ts';
import { deployTables } from './program.ts';

/**
 * Pulumi's entry: a default export and nothing else, because it refuses an ESM entry that has both kinds. A function, which tests call
 * with settings of their own; Pulumi calls it only because this package is of type module (`idle-program.ts`).
 */
export default () => deployTables(project);
