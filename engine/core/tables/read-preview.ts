import { type StandingCost, standingCost } from '../../../tables/model/stack/standing-cost.ts';
import { tableType } from './import-file.ts';

type Values = Readonly<Record<string, unknown>>;

interface State {
  readonly type?: string;
  readonly inputs?: Values;
}

/** A step of `pulumi preview --json`. */
export interface PreviewStep {
  readonly op: string;
  readonly urn: string;
  readonly oldState?: State;
  readonly newState?: State;
  readonly replaceReasons?: readonly string[];
}

/** What `pulumi preview --json` prints; members without content are left out (Pulumi's `PreviewDigest`). */
export interface Preview {
  readonly steps?: readonly PreviewStep[];
  readonly diagnostics?: readonly { readonly severity?: string; readonly message?: string }[];
  readonly changeSummary?: Readonly<Record<string, number>>;
}

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

const replacing = ['replace', 'create-replacement', 'delete-replaced'];
const nothing = ['same', 'read', 'refresh'];

export function readPreview({ steps = [] }: Preview): ReadPreview {
  const changing = steps.filter(({ op }) => !nothing.includes(op));
  const tables = changing.filter((step) => typeOf(step) === tableType);
  const others = changing.filter((step) => typeOf(step) !== tableType && !typeOf(step).startsWith('pulumi:'));
  return {
    tables: tables.filter(isWhole).flatMap(tableChanges),
    others: counted(others.filter(isWhole)),
    losses: [...tables.flatMap(lossesOf), ...others.flatMap(keptLosses)],
    cost: standingCost(
      changing.filter(isWhole).map(({ op, oldState, newState }) => ({
        before: op === 'create' || op === 'import' ? undefined : resourceOf(oldState),
        after: op === 'delete' ? undefined : resourceOf(newState),
      })),
    ),
  };
}

/** A replacement has three steps; one of them tells it. */
const isWhole = ({ op }: PreviewStep): boolean => op !== 'delete-replaced' && op !== 'create-replacement';

/** Of which stacks it is. */
export function stacksIn({ steps = [] }: Preview): readonly string[] {
  return [...new Set(steps.flatMap(({ urn }) => /^urn:pulumi:([^:]+)::/.exec(urn)?.[1] ?? []))];
}

/** What stopped it: then its steps are not all. Pulumi's marks of colour are left out. */
export function failuresIn({ diagnostics = [] }: Preview): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ message = '' }) => message.replaceAll(/<\{%[^%]*%\}>/g, '').trim());
}

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
  if (step.op === 'replace') {
    const reasons = step.replaceReasons ?? [];
    return [`${name}: the table is replaced and all its items are lost${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`];
  }
  if (replacing.includes(step.op)) return [];
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
  const isGone = step.op === 'delete' || step.op === 'replace';
  return loss === undefined || !isGone ? [] : [`${nameOf(step)}: ${loss}`];
}

interface NamedIndex {
  readonly name: string;
}

/** By name: Pulumi compares lists by position and shows indexes as swapped that only moved. */
function indexChanges({ oldState, newState }: PreviewStep): readonly { readonly index: string; readonly change: string }[] {
  const indexes = (state: State | undefined) => (state?.inputs?.globalSecondaryIndexes ?? []) as readonly NamedIndex[];
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
    return plain(old) === plain(now) ? [] : [{ index, change: 'given other capacity' }];
  });
}

/** A state that was read from AWS may have the older form. */
function keysOf({ keySchemas, hashKey, rangeKey }: Values): unknown {
  const older = [
    { attributeName: hashKey, keyType: 'HASH' },
    ...(rangeKey === undefined ? [] : [{ attributeName: rangeKey, keyType: 'RANGE' }]),
  ];
  return keySchemas ?? older;
}

function tableChanges(step: PreviewStep): readonly string[] {
  const name = nameOf(step);
  if (step.op === 'create') return [`${name}: created`];
  if (step.op === 'import') return [`${name}: adopted`];
  if (step.op === 'delete') return [`${name}: deleted`];
  if (step.op === 'replace') return [`${name}: replaced`];
  const [before, after] = [step.oldState?.inputs ?? {}, step.newState?.inputs ?? {}];
  const settings = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => key !== '__defaults' && key !== 'globalSecondaryIndexes' && key !== 'attributes')
    .filter((key) => plain(before[key]) !== plain(after[key]))
    .map((key) => `${name}: ${key} turns from ${shown(before[key])} to ${shown(after[key])}`);
  return [...indexChanges(step).map(({ index, change }) => `${name}: the index ${index} is ${change}`), ...settings];
}

function counted(steps: readonly PreviewStep[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const step of steps) {
    const kind = `${step.op} ${typeOf(step).split(':').at(-1)}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${kind} ×${count}`).toSorted();
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : typeof value === 'string' ? value : plain(value));

/** The same text for the same value, in whatever order its members stand. */
function plain(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(
            Object.entries(inner)
              .filter(([key]) => key !== '__defaults')
              .toSorted(([a], [b]) => (a < b ? -1 : 1)),
          )
        : inner,
    ) ?? 'nothing'
  );
}
