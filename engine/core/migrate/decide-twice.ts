import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import { type DecideOptions, decideItem, type GuardedChange, type ItemDecision } from './decide-item.ts';
import type { PassStep } from './define-migration.ts';

/** Items at the beginning of a page that are decided on twice. */
export const twiceDecided = 20;

export interface PageDecisionOptions extends DecideOptions {
  readonly migration: string;
  /** Calls it as if it were another day; now when left out. */
  readonly anotherDay?: (<T>(call: () => T) => T) | undefined;
}

/**
 * What a step does to the items of a page. A function that is none of the item (by chance, by the clock, by what it remembers)
 * can be neither repeated nor verified: it is found out on the first items, before anything follows from it.
 */
export function decidePage(step: PassStep, items: readonly Item[], options: PageDecisionOptions): readonly ItemDecision[] {
  const { anotherDay = (call) => call() } = options;
  const decisions = items.map((item) => decideItem(step, item, options));
  const sample = items.slice(0, twiceDecided);
  const again = anotherDay(() => sample.map((item) => decideItem(step, item, options)));
  for (const [at, item] of sample.entries()) {
    const [one, other] = [decisions[at], again[at]];
    const difference = one === undefined || other === undefined ? undefined : differenceOf(one, other);
    if (difference !== undefined) throw notPure(step, options.migration, showKey(step.table, item), difference);
  }
  return decisions;
}

/** What two decisions on the same item do not agree in. Reasons of poison may say anything. */
export function differenceOf(one: ItemDecision, other: ItemDecision): string | undefined {
  if (one.kind !== other.kind) return `once ${shown(one)}, once ${shown(other)}`;
  if (one.kind !== 'change' || other.kind !== 'change') return undefined;
  if (one.changes.length !== other.changes.length) return `once ${one.changes.length} new items, once ${other.changes.length}`;
  const names = one.changes.flatMap((change, at) => differingNames(change, other.changes[at] ?? change));
  return names.length === 0 ? undefined : `other values of ${[...new Set(names)].join(', ')}`;
}

function differingNames(one: GuardedChange, other: GuardedChange): readonly string[] {
  const [a, b] = [written(one), written(other)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]);
}

/** By attribute, one text a value; a removal is no value. */
function written(change: GuardedChange): Readonly<Record<string, string>> {
  const values = change.kind === 'insert' ? change.item : change.set;
  const removed = change.kind === 'insert' ? [] : change.remove;
  return Object.fromEntries([
    ...Object.entries(values).map(([name, value]) => [name, canonicalItem({ value })] as const),
    ...removed.map((name) => [name, ''] as const),
  ]);
}

function shown({ kind }: ItemDecision): string {
  return kind === 'right' ? 'nothing to do' : kind === 'poison' ? 'a failure' : kind === 'change' ? 'a change' : kind;
}

function notPure(step: PassStep, migration: string, key: string, difference: string): TablewrightError {
  const name = step.kind === 'backfill' ? 'change' : 'items';
  return new TablewrightError(
    'BAD_MIGRATION',
    `${migration}: step ${step.name}: its ${name} is not a function of the item: asked twice about ${key}, it gave ${difference}`,
    {
      next: 'Nothing of this page was written. Let the result follow from the item alone: no chance, no present time, nothing remembered; then run it again.',
    },
  );
}
