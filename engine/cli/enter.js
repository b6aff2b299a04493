import { existsSync } from 'node:fs';

// In the repository the sources are beside this file; what is installed has them compiled.
const sources = new URL('./start.js', import.meta.url);
const compiled = new URL('../../dist/engine/cli/start.js', import.meta.url);
import((existsSync(sources) ? sources : compiled).href);
