import { errorExitCodes, TablewrightError } from '../../../tables/model/error.ts';
import { holderText } from '../../core/remote/holder-text.ts';
import { showDuration } from '../../core/show/numbers.ts';
import { breakLock, inspectLock, type LockView } from '../../run/ledger/lock.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action } from '../context.ts';
import { openLedger } from '../migrate/open-migrations.ts';
import type spec from './unlock.spec.js';

/** Shows who holds the lock; with --force takes it away, whatever its record holds. */
const unlock: Action<typeof spec> = async (context, { force, yes }) => {
  await using command = await openLedger(context);
  const { environment, stack } = command;
  const view = await inspectLock(environment);
  const shown = show(view, environment.nowMs());
  if (shown === undefined) {
    context.output.result({ lock: null }, () => 'The lock is free.');
    return 0;
  }
  if (!force) {
    context.output.result({ lock: shown.lock }, () => `${shown.text}\n→ ${shown.next}`);
    return shown.exitCode;
  }
  await confirmProduction(context, stack.config, yes, `breaking the lock${shown.of}`);
  if (!(await breakLock(environment, view, 'unlock --force'))) {
    throw new TablewrightError('CONFLICT', 'the lock changed hands in this moment', {
      next: "Run 'tablewright unlock' again.",
    });
  }
  context.output.result(
    { lock: null, broken: shown.lock },
    () => `${shown.text}\nBroken: whoever held it can write nothing more to the ledger and stops.`,
  );
  return 0;
};

interface Shown {
  readonly lock: object;
  readonly text: string;
  readonly next: string;
  /** For the question, where it is known: ` of ana@host`. */
  readonly of: string;
  readonly exitCode: number;
}

/** Undefined when it is free. */
function show(view: LockView, nowMs: number): Shown | undefined {
  if (view.kind === 'none') return undefined;
  const ending = "'tablewright unlock --force' ends it now.";
  if (view.kind === 'lease') {
    const { lease } = view;
    const left = lease.leaseUntil - nowMs;
    if (left <= 0) return undefined;
    const ends = `the lease ends in ${showDuration(left / 1_000)} unless it is renewed`;
    const holder = holderText(lease.holder);
    const text = `Held by ${holder} (${lease.doing}, token ${lease.token}) since ${lease.since}; ${ends}.`;
    const next = `A dead runner's lease passes by itself. ${ending}`;
    return { lock: lease, text, next, of: ` of ${holder}`, exitCode: errorExitCodes.LOCKED };
  }
  if (view.kind === 'newer') {
    const { format } = view;
    const text = `Its record was written by a newer version of tablewright (format ${format}), so who holds it cannot be told.`;
    return { lock: { format }, text, next: `Upgrade tablewright. ${ending}`, of: '', exitCode: errorExitCodes.LEDGER_NEWER };
  }
  const { problems } = view;
  const text = ['Its record is damaged, so who holds it cannot be told:', ...problems.map((one) => `  - ${one}`)].join('\n');
  const next = `Make sure that nobody runs migrations; then ${ending}`;
  return { lock: { damaged: problems }, text, next, of: '', exitCode: errorExitCodes.LEDGER_DAMAGED };
}

export default unlock;
