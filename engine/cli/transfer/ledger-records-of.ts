import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { LedgerStore } from '../../run/ledger/ledger-store.ts';
import type { SegmentRecords } from '../../run/transfer/export-environment.ts';
import { ledgerRecords } from '../../run/transfer/ledger-records.ts';
import { budgetOf } from '../budget-of.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';

/** The stack's ledger, for commands that keep little there. */
export function ledgerOn(context: Pick<Context, 'signal'>, stack: OpenStack): LedgerStore {
  return new LedgerStore({
    store: stack.store,
    names: stack.config,
    gates: new CapacityGates(budgetOf(stack, 'read', undefined)),
    writeGates: new CapacityGates(budgetOf(stack, 'write', undefined)),
    sleep,
    random: Math.random,
    stopping: context.signal,
  });
}

/** Where a masked export of the stack keeps how far it got. */
export function ledgerRecordsOf(context: Pick<Context, 'signal'>, stack: OpenStack, tableName: string): SegmentRecords {
  return ledgerRecords(ledgerOn(context, stack), tableName);
}
