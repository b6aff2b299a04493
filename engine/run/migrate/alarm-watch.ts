import { TablewrightError } from '../../../tables/model/error.ts';
import { type Alarms, shownAlarms } from '../../core/migrate/alarms.ts';
import type { Lease } from '../ledger/lock.ts';
import { untilStopped } from '../store/until-stopped.ts';
import type { MigrateEnvironment } from './environment.ts';

/** Alarms are decided once a minute at most; CloudWatch lets an account ask nine times a second (service quotas, DescribeAlarms). */
export const alarmPollMs = 15_000;
const waitMs = 500;

/**
 * Whether an alarm rings that the run holds still for. What cannot be read leaves things as they were, holding or going on, and
 * is told once; a long silence of CloudWatch neither stops a run nor lets a held one go.
 */
export class AlarmWatch {
  readonly #environment: Pick<MigrateEnvironment, 'alarms' | 'emit' | 'nowMs' | 'sleep'>;
  readonly #lease: Lease;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #heldBy: string | undefined;
  #unseen: string | undefined;

  constructor(environment: Pick<MigrateEnvironment, 'alarms' | 'emit' | 'nowMs' | 'sleep'>, lease: Lease) {
    this.#environment = environment;
    this.#lease = lease;
  }

  get heldBy(): string | undefined {
    return this.#heldBy;
  }

  /** Looks if it is time to; never throws. */
  async look(signal?: AbortSignal): Promise<void> {
    const { alarms, nowMs } = this.#environment;
    if (alarms === undefined) return;
    if (this.#looking !== undefined) return this.#looking;
    if (nowMs() - this.#lookedMs < alarmPollMs) return;
    this.#lookedMs = nowMs();
    this.#looking = this.#ask(alarms, signal).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async wait(stop: AbortSignal): Promise<void> {
    while (this.#heldBy !== undefined && !stop.aborted) {
      await untilStopped(this.#environment.sleep(waitMs, stop), stop);
      await this.look(stop);
    }
  }

  async #ask(alarms: Alarms, signal: AbortSignal | undefined): Promise<void> {
    const { emit } = this.#environment;
    try {
      const { ringing } = await alarms.look(signal);
      if (this.#unseen !== undefined) emit({ kind: 'alarms-seen' });
      this.#unseen = undefined;
      const heldBy = shownAlarms(ringing);
      if (heldBy === this.#heldBy) return;
      this.#hold(heldBy);
      emit(heldBy === undefined ? { kind: 'released' } : { kind: 'held', by: heldBy, alarms: ringing });
    } catch (error) {
      if (signal?.aborted === true) return;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#unseen) emit({ kind: 'alarms-unseen', message, held: this.#heldBy !== undefined });
      this.#unseen = message;
    }
  }

  /** `status` tells it from the lock's record, which the next heartbeat writes. */
  #hold(heldBy: string | undefined): void {
    this.#heldBy = heldBy;
    this.#lease.waiting = heldBy ?? '';
  }
}

/** Before the first write: every name is that of an alarm, and they can be read. */
export async function checkAlarms(alarms: Alarms, signal: AbortSignal): Promise<void> {
  const { missing } = await alarms.look(signal);
  if (missing.length === 0) return;
  throw new TablewrightError('PREFLIGHT_FAILED', `${missing.length} of the alarms to hold still for are not there`, {
    problems: missing.map((name) => `${name}: there is no such alarm in this account and region`),
    next: "Correct tablewright:pauseOnAlarms in the stack's file; those of the stack itself are made by 'npx pulumi up'.",
  });
}
