import type { Contender } from './contender.ts';
import { contender as raw } from './raw.ts';

/** The limit over one connection, which the embedded engine likes best. */
export const contender: Contender = { prepare: (job) => raw.prepare({ ...job, connections: 1 }) };
