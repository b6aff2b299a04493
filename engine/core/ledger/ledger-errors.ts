import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';

export const shownLedgerKey = (item: Item): string => showKey(ledger, item);

const repairing =
  "Run 'tablewright repair': it rebuilds such a record from others where it can, drops it where it cannot, and says what that means.";

/** Records that are not of the form that their kind has. `next` is for those that repair is not the first remedy of. */
export function damagedLedger(
  damaged: readonly { readonly item: Item; readonly problems: readonly string[] }[],
  next: string = repairing,
): TablewrightError {
  const [first] = damaged;
  const summary =
    damaged.length === 1 && first !== undefined
      ? `the ledger's record ${shownLedgerKey(first.item)} is damaged`
      : `${damaged.length} records of the ledger are damaged`;
  const problems = damaged.flatMap(({ item, problems: own }) => own.map((problem) => `${shownLedgerKey(item)}: ${problem}`));
  return new TablewrightError('LEDGER_DAMAGED', summary, { problems, next });
}

export function newerLedger(item: Item, format: number, known: number): TablewrightError {
  return new TablewrightError(
    'LEDGER_NEWER',
    `the ledger of this stack was written by a newer version of tablewright: ${shownLedgerKey(item)} is of format ${format}, this version knows ${known}`,
    { next: 'Upgrade tablewright to that version or a later one, then run the command again.' },
  );
}
