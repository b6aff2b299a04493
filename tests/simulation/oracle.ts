import type { BatchGetRequest, PageAnswer, ScanRequest } from '../../engine/core/store/store.ts';
import { CheckData } from './check-data.ts';
import { CheckLedger } from './check-ledger.ts';
import type { JudgedMigration } from './content.ts';
import { ItemHistory } from './item-history.ts';
import { ServedPages } from './served-pages.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { Mutation, Sender, SimulatedServer, Watcher } from './simulated-server.ts';

/** What must never happen. */
export type Pledge =
  | 'no lost update'
  | 'no resurrection'
  | 'no item past its checkpoint undone'
  | 'rollback gives the original'
  | 'counts are right'
  | 'verified means verified'
  | 'nothing is changed that is not in the journal'
  | 'no write without the lock'
  | 'every command ends as it should'
  | 'effects go through ports';

export interface Violation {
  readonly broken: Pledge;
  readonly what: string;
}

export interface OracleOptions {
  readonly server: SimulatedServer;
  readonly migrations: readonly JudgedMigration[];
  readonly nameOf: (table: JudgedMigration['steps'][number]['table']) => string;
  readonly ledgerName: string;
  readonly nowMs: () => number;
  readonly staleMs: number;
}

/** What checks have in common. */
export interface Evidence extends OracleOptions {
  readonly history: ItemHistory;
  readonly pages: ServedPages;
  readonly report: (broken: Pledge, what: string) => void;
}

/** Watches everything that happens at the server and knows what may. */
export class Oracle implements Watcher {
  readonly violations: Violation[] = [];
  readonly evidence: Evidence;
  readonly data: CheckData;
  readonly ledger: CheckLedger;

  constructor(options: OracleOptions) {
    const report = (broken: Pledge, what: string): void => void this.violations.push({ broken, what });
    this.evidence = { ...options, history: new ItemHistory(), pages: new ServedPages(options), report };
    this.ledger = new CheckLedger(this.evidence);
    this.data = new CheckData(this.evidence, this.ledger);
  }

  changed(sender: Sender, mutations: readonly Mutation[]): void {
    if (!(sender instanceof SimulatedProcess)) return;
    const { ledgerName } = this.evidence;
    const records = mutations.filter(({ table }) => table === ledgerName);
    if (records.length > 0) this.ledger.check(sender, records);
    for (const mutation of mutations) if (mutation.table !== ledgerName) this.data.check(sender, mutation);
  }

  scanned(sender: Sender, request: ScanRequest, page: PageAnswer, atMs: number): void {
    if (sender instanceof SimulatedProcess) this.evidence.pages.add(sender, request, page, atMs);
  }

  got(sender: Sender, request: BatchGetRequest, atMs: number): void {
    if (sender instanceof SimulatedProcess) this.evidence.pages.addKeys(sender, request, atMs);
  }
}
