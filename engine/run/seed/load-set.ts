import type { DeclaredRow } from '../../core/seed/declared-record.ts';
import type { RowPlan } from '../../core/seed/plan-seed.ts';
import { isAnchorSpent } from '../../core/seed/seed-anchor.ts';
import type { VerdictCounts } from '../../core/seed/seed-event.ts';
import type { LoadOutcome, LoadWish, SeedEnvironment } from './environment.ts';
import { refuseProduction } from './refuse-production.ts';
import { SeedLedger } from './seed-ledger.ts';
import { resolved, SetLoader } from './set-loader.ts';

export interface LoadSetOptions extends LoadWish {
  readonly name: string;
  readonly times: 'follow' | 'once';
  /** As the files have them, checked before; gone through more than once. */
  readonly declared: Iterable<DeclaredRow> | AsyncIterable<DeclaredRow>;
  /** How many they are, where it is known: for the progress. */
  readonly rows?: number | undefined;
}

export interface SetReport {
  readonly set: string;
  readonly outcome: LoadOutcome;
  /** Of the rows that are stored as it says; in a dry run, of those that would be. */
  readonly counts: VerdictCounts;
  /** Rows that were to be written and are not, or not wholly. */
  readonly notWritten: number;
  readonly kept: readonly { readonly table: string; readonly key: string; readonly verdict: RowPlan['verdict'] }[];
  /** Rows put or deleted, and units they took, ledger included. */
  readonly written: number;
  readonly units: number;
  readonly deadLettered: number;
}

/** Brings the rows of a set into the stack: looks, plans, writes, some at a time. See docs/design/seeds.md. */
export async function loadSet(environment: SeedEnvironment, options: LoadSetOptions, signal?: AbortSignal): Promise<SetReport> {
  refuseProduction(environment.config);
  const ledger = new SeedLedger(environment, options.name);
  const former = await ledger.anchor(signal);
  const anchor = await settleAnchor(environment, ledger, options, former, signal);
  return new SetLoader(environment, ledger, { ...options, anchor, isFirst: former === undefined }, signal).run();
}

/** What `now` means in this run: as before, or the present when that is spent. */
async function settleAnchor(
  environment: SeedEnvironment,
  ledger: SeedLedger,
  options: LoadSetOptions,
  former: number | undefined,
  signal?: AbortSignal,
): Promise<number> {
  const nowSeconds = environment.nowSeconds();
  if (former !== undefined && (options.times === 'once' || !(await isSpent(options, former, nowSeconds)))) return former;
  return options.dryRun ? nowSeconds : ledger.takeAnchor(former, nowSeconds, signal);
}

async function isSpent({ declared }: LoadSetOptions, anchor: number, nowSeconds: number): Promise<boolean> {
  for await (const row of declared) {
    // Only a row whose table lets it expire can tell; the others need not be made.
    if (row.table.ttl !== undefined && isAnchorSpent(resolved(row, anchor), anchor, nowSeconds)) return true;
  }
  return false;
}
