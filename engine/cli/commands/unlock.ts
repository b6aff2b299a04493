import { TablewrightError } from '../../../tables/model/error.ts';
import { showDuration } from '../../core/show/numbers.ts';
import { breakLock, readLease } from '../../run/ledger/lock.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action } from '../context.ts';
import { withMigrations } from '../migrate/with-migrations.ts';
import type spec from './unlock.spec.js';

/** Shows who holds the lock; with --force takes it away. The token grows, so its holder can write nothing more. */
const unlock: Action<typeof spec> = async (context, { force, yes }) =>
  withMigrations(context, {}, async ({ environment, stack }) => {
    const lease = await readLease(environment);
    const left = lease === undefined ? 0 : lease.leaseUntil - environment.now();
    if (lease === undefined || left <= 0) {
      context.output.result({ lock: null }, () => 'The lock is free.');
      return 0;
    }
    const held = `Held by ${lease.holder} (${lease.doing}, token ${lease.token}) since ${lease.since}; the lease ends in ${showDuration(left / 1_000)} unless it is renewed.`;
    if (!force) {
      context.output.result(
        { lock: lease },
        () => `${held}\n→ A dead runner's lease passes by itself. 'tablewright unlock --force' ends it now.`,
      );
      return 3;
    }
    await confirmProduction(context, stack.config, yes, `breaking the lock of ${lease.holder}`);
    if (!(await breakLock(environment, lease))) {
      throw new TablewrightError('CONFLICT', 'the lock changed hands in this moment', {
        next: "Run 'tablewright unlock' again.",
      });
    }
    context.output.result(
      { lock: null, broken: lease },
      () => `${held}\nBroken: that runner can write nothing more to the ledger and stops.`,
    );
    return 0;
  });

export default unlock;
