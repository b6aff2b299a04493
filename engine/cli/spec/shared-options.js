import { option } from './command.js';
import { count, countUpTo, flag, name, oneOf, text } from './values.js';

// Options that several commands share.

export const all = option({ type: flag, help: 'every pattern that was ever read by Scan' });
export const yes = option({ type: flag, help: 'do not ask on a production stack' });
export const upTo = option({ type: name, shown: 'migration', help: 'up to and including this one, by id or number' });
export const accept = option({ type: flag, help: 'take changed sources, gaps and wrong order as they are' });
export const sample = option({ type: count, help: 'of dry runs: look at so many items instead of all' });
export const writeRate = option({
  type: count,
  shown: 'units',
  help: 'write units per second, index writes included (default: the stack’s budget)',
});
export const readRate = option({ type: count, shown: 'units', help: 'read units per second (default: the stack’s budget)' });
export const noPitrOk = option({ type: flag, help: 'go on in production without point-in-time recovery' });
export const kmsKey = option({ type: text, shown: 'arn', help: 'native: encrypt with this key' });
export const pollMs = option({ type: count, help: 'how often to ask whether it is done', hidden: true });

/** What `query` sends and `explain` shows. */
export const reading = {
  limit: option({ type: count, help: 'at most so many records' }),
  reverse: option({ type: flag, help: 'last record first, where the pattern is sorted and has no limit of its own' }),
  consistent: option({ type: flag, help: 'see every acknowledged write, at twice the units; not through an index' }),
  way: option({ type: oneOf(['query', 'scan']), shown: 'way', help: 'read it by query or scan, whatever its cut-over state' }),
};

/** How fast migrations work, and on what. */
export const budgets = {
  rate: writeRate,
  readRate,
  // DynamoDB API reference, Scan: TotalSegments is at most 1,000,000.
  segments: option({ type: countUpTo(1_000_000), help: 'segments of the parallel scan, for steps that begin now' }),
  includeExpired: option({ type: flag, help: 'items too whose TTL has passed' }),
};
