import { type StandingCost, standingCost } from '../../../tables/model/stack/standing-cost.ts';
import { tableType } from './import-file.ts';
import { isChange, type Preview, type PreviewStep, type State, type Values } from './preview-digest.ts';

/** What a deployment would do, in words. */
export interface ReadPreview {
  /** Of tables and indexes: each a sentence with the table in front. */
  readonly tables: readonly string[];
  /** Everything else, counted by kind. */
  readonly others: readonly string[];
  /** What loses items or takes an index away. */
  readonly losses: readonly string[];
  /** What the stack's standing price changes by, US dollars a month. */
  readonly cost: StandingCost;
}

/** What Pulumi calls the parts of a replacement. */
const replacing = ['replace', 'create-replacement', 'delete-replaced', 'import-replacement'];

export function readPreview({ steps = [] }: Preview): ReadPreview {
  const changing = oncePerReplacement(steps.filter(({ op }) => isChange(op)));
  const tables = changing.filter((step) => typeOf(step) === tableType);
  const others = changing.filter((step) => typeOf(step) !== tableType && !typeOf(step).startsWith('pulumi:'));
  return {
    tables: tables.flatMap(tableChanges),
    others: counted(others),
    losses: [...tables.flatMap(lossesOf), ...others.flatMap(keptLosses)],
    cost: standingCost(
      changing.map(({ op, oldState, newState }) => ({
        before: op === 'create' || op === 'import' ? undefined : resourceOf(oldState),
        after: op === 'delete' ? undefined : resourceOf(newState),
      })),
    ),
  };
}

/** A replacement is one step, and with `--show-replacement-steps` three: that of the whole, or the first of its parts, tells it. */
function oncePerReplacement(steps: readonly PreviewStep[]): readonly PreviewStep[] {
  const telling = new Map<string, PreviewStep>();
  for (const step of steps.filter(isReplacement)) {
    if (step.op === 'replace' || !telling.has(step.urn)) telling.set(step.urn, step);
  }
  return steps.filter((step) => !isReplacement(step) || telling.get(step.urn) === step);
}

const isReplacement = ({ op }: PreviewStep): boolean => replacing.includes(op);

const typeOf = ({ newState, oldState, urn }: PreviewStep): string =>
  newState?.type ?? oldState?.type ?? (urn.split('::')[2] ?? '').split('$').at(-1) ?? '';

const nameOf = ({ newState, oldState, urn }: PreviewStep): string =>
  String(newState?.inputs?.name ?? oldState?.inputs?.name ?? urn.split('::').at(-1));

function resourceOf(state: State | undefined): { readonly type: string; readonly inputs: Values } | undefined {
  return state?.type === undefined ? undefined : { type: state.type, inputs: state.inputs ?? {} };
}

function lossesOf(step: PreviewStep): readonly string[] {
  const name = nameOf(step);
  if (step.op === 'delete') return [`${name}: the table is deleted with all its items`];
  if (isReplacement(step)) {
    const reasons = step.replaceReasons ?? [];
    return [`${name}: the table is replaced and all its items are lost${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`];
  }
  return indexChanges(step).flatMap(({ index, change }) =>
    change === 'dropped'
      ? [`${name}: the index ${index} is dropped, queries on it fail`]
      : change === 'rebuilt'
        ? [`${name}: the index ${index} is built anew, queries on it fail meanwhile`]
        : [],
  );
}

/** What beside tables holds something that is gone with it. */
const keepers: Readonly<Record<string, string>> = {
  'aws:backup/vault:Vault': 'the vault is deleted with its backups',
  'aws:kms/key:Key': 'the key is deleted; once its window has passed, what it encrypts can be read no more',
  'aws:s3/bucket:Bucket': 'the bucket is deleted with its objects',
};

function keptLosses(step: PreviewStep): readonly string[] {
  const loss = keepers[typeOf(step)];
  const isGone = step.op === 'delete' || isReplacement(step);
  return loss === undefined || !isGone ? [] : [`${nameOf(step)}: ${loss}`];
}

interface NamedIndex {
  readonly name: string;
}

/** By name: Pulumi compares lists by position and shows indexes as swapped that only moved. */
function indexChanges({ oldState, newState }: PreviewStep): readonly { readonly index: string; readonly change: string }[] {
  const indexes = (state: State | undefined) => {
    const list = state?.inputs?.globalSecondaryIndexes;
    return Array.isArray(list) ? (list as readonly NamedIndex[]) : [];
  };
  const [before, after] = [indexes(oldState), indexes(newState)];
  const shape = (index: NamedIndex | undefined) => {
    const { projectionType, nonKeyAttributes = [] } = (index ?? {}) as Values;
    const included = [...(nonKeyAttributes as readonly string[])].toSorted();
    return plain({ keys: keysOf((index ?? {}) as Values), projectionType, included });
  };
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  return names.flatMap((index) => {
    const [old, now] = [before, after].map((list) => list.find(({ name }) => name === index));
    if (old === undefined) return [{ index, change: 'added' }];
    if (now === undefined) return [{ index, change: 'dropped' }];
    if (shape(old) !== shape(now)) return [{ index, change: 'rebuilt' }];
    return capacityOf(old) === capacityOf(now) ? [] : [{ index, change: 'given other capacity' }];
  });
}

/** What an index may use. A state that was read from AWS has 0 or -1 where nothing was said. */
function capacityOf(index: NamedIndex): string {
  const { readCapacity, writeCapacity, onDemandThroughput } = index as NamedIndex & Values;
  const { maxReadRequestUnits, maxWriteRequestUnits } = (onDemandThroughput ?? {}) as Values;
  const units = [readCapacity, writeCapacity, maxReadRequestUnits, maxWriteRequestUnits];
  return units.map((one) => Math.max(0, Number(one ?? 0))).join(' ');
}

/** A state that was read from AWS may have the older form. */
function keysOf({ keySchemas, hashKey, rangeKey }: Values): unknown {
  const older = [
    { attributeName: hashKey, keyType: 'HASH' },
    ...(rangeKey === undefined ? [] : [{ attributeName: rangeKey, keyType: 'RANGE' }]),
  ];
  return Array.isArray(keySchemas) && keySchemas.length > 0 ? keySchemas : older;
}

function tableChanges(step: PreviewStep): readonly string[] {
  const name = nameOf(step);
  if (step.op === 'create') return [`${name}: created`];
  if (step.op === 'import') return [`${name}: adopted`];
  if (step.op === 'delete') return [`${name}: deleted`];
  if (isReplacement(step)) return [`${name}: replaced`];
  const [before, after] = [step.oldState?.inputs ?? {}, step.newState?.inputs ?? {}];
  const differs = (key: string) => plain(before[key]) !== plain(after[key]);
  const settings = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !toldElsewhere.includes(key) && differs(key) && isNamed(step, key))
    // The provider's sum of all tags repeats the table's own.
    .filter((key) => key !== 'tagsAll' || !differs('tags'))
    .map((key) => `${name}: ${key} turns from ${shown(before[key])} to ${shown(after[key])}`);
  return [...indexChanges(step).map(({ index, change }) => `${name}: the index ${index} is ${change}`), ...settings];
}

/** Indexes are told by name, and attributes follow from keys. */
const toldElsewhere = ['__defaults', 'globalSecondaryIndexes', 'attributes'];

/** Pulumi names what makes a table change; what else is different (a zero that was read, a default) it takes for the same. */
function isNamed({ diffReasons = [] }: PreviewStep, key: string): boolean {
  return diffReasons.length === 0 || diffReasons.includes(key);
}

function counted(steps: readonly PreviewStep[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const step of steps) {
    const kind = `${step.op} ${typeOf(step).split(':').at(-1)}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${kind} ×${count}`).toSorted();
}

/** What stands in a preview for a value that the deployment makes (Pulumi's `plugin.UnknownStringValue`). */
const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? String(readable('', value)) : plain(value);
}

/** The same text for the same value, in whatever order its members stand. */
const plain = (value: unknown): string => JSON.stringify(value, readable) ?? 'nothing';

function readable(_: string, value: unknown): unknown {
  if (value === unknownValue) return 'known after the deployment';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__defaults')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
