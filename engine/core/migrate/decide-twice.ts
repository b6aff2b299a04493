import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import { type DecideOptions, decideItem, type GuardedChange, type ItemDecision } from './decide-item.ts';
import type { PassStep } from './define-migration.ts';
import { undeclaredReads } from './undeclared-reads.ts';

/** Items of a page that are decided on twice: the first ones that the function is asked about. */
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
  const decisions = items.map((item) => decideItem(step, item, options));
  checkDecisions(step, items, decisions, options);
  return decisions;
}

/** Of decisions that were made in several goes, before anything follows from them. */
export function checkDecisions(
  step: PassStep,
  items: readonly Item[],
  decisions: readonly ItemDecision[],
  options: PageDecisionOptions,
): void {
  const { anotherDay = (call) => call() } = options;
  const sample = sampleOf(items, decisions);
  const again = anotherDay(() => sample.map(({ item }) => decideItem(step, item, options)));
  for (const [at, { item, decision }] of sample.entries()) {
    const difference = differenceOf(decision, again[at] ?? decision);
    if (difference !== undefined) throw notPure(step, options.migration, showKey(step.table, item), difference);
  }
  const sampled = sample.map(({ item }) => item);
  const unseen = undeclaredReads(step, sampled, options);
  if (unseen.length > 0) throw notDeclared(step, options.migration, unseen);
}

/** Of a table of several entities a page may begin with many items that the step is not for. */
function sampleOf(items: readonly Item[], decisions: readonly ItemDecision[]) {
  const sample: { readonly item: Item; readonly decision: ItemDecision }[] = [];
  for (const [at, item] of items.entries()) {
    const decision = decisions[at];
    if (decision === undefined || decision.kind === 'foreign' || decision.kind === 'expired') continue;
    sample.push({ item, decision });
    if (sample.length === twiceDecided) break;
  }
  return sample;
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

function notDeclared(step: PassStep, migration: string, names: readonly string[]): TablewrightError {
  const [what, are, them] = names.length === 1 ? ['an attribute', 'is', 'it'] : ['attributes', 'are', 'them'];
  return new TablewrightError(
    'BAD_MIGRATION',
    `${migration}: step ${step.name}: its ${functionOf(step)} looks at ${names.join(', ')}, ${what} that ${are} not among its reads, so it never finds ${them}`,
    { next: "Nothing of this page was written. Name in the step's reads all that its function looks at; then run it again." },
  );
}

const functionOf = (step: PassStep): string => (step.kind === 'backfill' ? 'change' : 'items');

function notPure(step: PassStep, migration: string, key: string, difference: string): TablewrightError {
  return new TablewrightError(
    'BAD_MIGRATION',
    `${migration}: step ${step.name}: its ${functionOf(step)} is not a function of the item: asked twice about ${key}, it gave ${difference}`,
    {
      next: 'Nothing of this page was written. Let the result follow from the item alone: no chance, no present time, nothing remembered; then run it again.',
    },
  );
}
