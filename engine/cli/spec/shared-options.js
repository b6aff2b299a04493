import { option } from './command.js';
import { anyText, count, countUpTo, migrationWord, oneWordOf, onOff } from './values.js';

// Options that several commands share.

export const allPatterns = option({ type: onOff, help: 'every pattern that was ever read by Scan' });
export const warm = option({
  type: count,
  shown: 'units',
  help: 'raise what tables and indexes take at once to so many write units a second first; costs once',
});
export const yes = option({ type: onOff, help: 'do not ask on a production stack' });
export const upTo = option({ type: migrationWord, shown: 'migration', help: 'up to and including this one, by id or number' });
export const phase = option({
  type: oneWordOf(['before-deploy', 'after-deploy']),
  shown: 'phase',
  help: 'only those that belong before-deploy or after-deploy, in their order',
});
export const accept = option({ type: onOff, help: 'take changed sources, gaps and wrong order as they are' });
export const sample = option({ type: count, help: 'of dry runs: look at so many items instead of all' });
export const writeRate = option({
  type: count,
  shown: 'units',
  help: 'write units per second, index writes included (default: the stack’s budget)',
});
export const readRate = option({ type: count, shown: 'units', help: 'read units per second (default: the stack’s budget)' });
// More would wait for the one that writes the requests.
export const threads = option({ type: countUpTo(8), help: 'sign and send in so many threads besides, within the same budget' });
export const noPitrOk = option({ type: onOff, help: 'go on in production without point-in-time recovery' });
export const kmsKey = option({ type: anyText, shown: 'arn', help: 'native: encrypt with this key' });
export const pollMs = option({ type: count, help: 'how often to ask whether it is done', hidden: true });

/** What `query` sends and `explain` shows. */
export const readingOptions = {
  limit: option({ type: count, help: 'at most so many records' }),
  reverse: option({ type: onOff, help: 'last record first, where the pattern is sorted and has no limit of its own' }),
  consistent: option({ type: onOff, help: 'see every acknowledged write, at twice the units; not through an index' }),
  way: option({
    type: oneWordOf(['query', 'scan']),
    shown: 'way',
    help: 'read it by query or scan, whatever its cut-over state',
  }),
};

/** Where it runs, of commands that many workers can carry out: their mode `workers`. */
export const remote = {
  on: option({
    type: oneWordOf(['aws', 'local']),
    shown: 'aws|local',
    help: 'by many workers: on the stack’s runner on AWS, or as processes of this machine',
    required: true,
    only: ['workers'],
  }),
  // Step Functions Developer Guide, "Service quotas": a Distributed Map runs 10,000 at once.
  workers: option({
    type: countUpTo(10_000),
    help: 'at most so many at once (default: 100 on AWS, one for each processor here)',
    only: ['workers'],
  }),
};

/** How fast migrations work, and on what. */
export const budgets = {
  rate: writeRate,
  readRate,
  // DynamoDB API reference, Scan: TotalSegments is at most 1,000,000.
  segments: option({ type: countUpTo(1_000_000), help: 'segments of the parallel scan, for steps that begin now' }),
  includeExpired: option({ type: onOff, help: 'items too whose TTL has passed' }),
};
