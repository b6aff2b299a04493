import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem, sameValue } from '../../tables/model/canonical.ts';
import type { CheckLedger } from './check-ledger.ts';
import type { JudgedStep } from './content.ts';
import { changedNames } from './item-history.ts';
import type { Evidence } from './oracle.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Mutation } from './simulated-server.ts';

/** Judges every write of a runner to the tables, at the moment when it happens. */
export class CheckData {
  readonly #evidence: Evidence;
  readonly #ledger: CheckLedger;

  constructor(evidence: Evidence, ledger: CheckLedger) {
    this.#evidence = evidence;
    this.#ledger = ledger;
  }

  check(process: SimulatedProcess, mutation: Mutation): void {
    const { history, nowMs } = this.#evidence;
    // Sent while the lock was held, and here when somebody else has it: only its own guard could stop it.
    if (!this.#ledger.isHolder(process)) history.of(mutation).late = true;
    if (process.doing === 'rollback') {
      this.#rollback(mutation);
      history.record(mutation, 'rollback', nowMs());
      return;
    }
    if (process.doing === 'migrate' || process.doing === 'retry') this.#apply(mutation);
    else this.#report('no lost update', mutation, `was written by ${process.doing}, which only looks`);
    history.record(mutation, 'apply', nowMs());
  }

  #apply(mutation: Mutation): void {
    const { before, after } = mutation;
    if (after === undefined) this.#report('no lost update', mutation, 'was deleted by a migration');
    else if (before === undefined) this.#insert(mutation, after);
    else this.#update(mutation, before, after);
  }

  #update(mutation: Mutation, before: Item, after: Item): void {
    const names = changedNames(mutation);
    const wanted = this.#stepsOf(mutation.table).map(({ verdictOn }) => verdictOn(before));
    const isWanted = (name: string): boolean =>
      wanted.some(
        (verdict) =>
          verdict.kind === 'change' &&
          (Object.hasOwn(after, name) ? sameValue(verdict.set[name], after[name]) : verdict.remove.includes(name)),
      );
    const wrong = names.filter((name) => !isWanted(name));
    if (wrong.length > 0) {
      this.#report('no lost update', mutation, `${wrong.join(', ')} got a value that does not follow from the item as it was`);
    }
    this.#journal(mutation);
  }

  #insert(mutation: Mutation, after: Item): void {
    const { server } = this.#evidence;
    const made = canonicalItem(after);
    const hasSource = this.#stepsOf(mutation.table).some((step) =>
      server
        .table(mutation.table)
        .present()
        .some((item) => {
          const verdict = step.verdictOn(item);
          return verdict.kind === 'insert' && verdict.items.some((one) => canonicalItem(one) === made);
        }),
    );
    if (!hasSource) this.#report('no resurrection', mutation, 'was made from nothing that is there');
    this.#journal(mutation);
  }

  #journal(mutation: Mutation): void {
    const { late } = this.#evidence.history.of(mutation);
    if (late || this.#ledger.hasJournalled(mutation)) return;
    this.#report('nothing is changed that is not in the journal', mutation, 'was changed, and no journal has what it was');
  }

  #rollback(mutation: Mutation): void {
    const { before, after } = mutation;
    if (before === undefined) {
      this.#report('no resurrection', mutation, 'was brought back by a rollback');
      return;
    }
    const { authors, late } = this.#evidence.history.of(mutation);
    // What a rollback has put back it may put back again, further back.
    const overwritten = changedNames(mutation).filter((name) => !['apply', 'rollback'].includes(authors.get(name) ?? ''));
    if (overwritten.length > 0 && !late) {
      const what = after === undefined ? 'was deleted' : `got ${overwritten.join(', ')} of before`;
      this.#report('no lost update', mutation, `${what} by a rollback although an application had written since`);
    }
  }

  #stepsOf(table: string): readonly JudgedStep[] {
    const { migrations, nameOf } = this.#evidence;
    return migrations.flatMap(({ steps }) => steps).filter((step) => nameOf(step.table) === table);
  }

  #report(broken: Parameters<Evidence['report']>[0], { table, identity, before, after }: Mutation, what: string): void {
    const shown = (item: Item | undefined): string => (item === undefined ? 'nothing' : canonicalItem(item));
    this.#evidence.report(broken, `${table} ${identity} ${what}: ${shown(before)} → ${shown(after)}`);
  }
}
