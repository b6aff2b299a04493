import { keyTypesOf } from '../../tables/model/key-types.ts';
import { maxKeyParts, type Table } from '../../tables/model/table.ts';
import type { FoundCondition } from './filter-conditions.ts';

/** An index that would answer a Scan's filter by a Query, as it would stand in the catalogue. */
export interface IndexProposal {
  /** `ByTeamState: { hash: ['team', 'state'] }`; an index that is there already when the name is that of one. */
  readonly index: string;
  /** The key conditions of the pattern: `[is('team', '{team}'), is('state', '{state}')]`. */
  readonly key: string;
}

const ranges = new Set(['<', '<=', '>', '>=', 'begins_with', 'between']);

/**
 * What is compared by equality becomes the partition, one comparison by order the sort key: attributes as they stand, so that DynamoDB
 * fills the index by itself. Undefined where the filter has no equality on an attribute that can be a key.
 */
export function proposeIndex(table: Table, conditions: readonly FoundCondition[]): IndexProposal | undefined {
  const usable = conditions.filter(({ attribute }) => canBeKey(table, attribute));
  const hash = [...new Set(usable.filter(({ op }) => op === '=').map(({ attribute }) => attribute))];
  if (hash.length === 0 || hash.length > maxKeyParts || hash.includes(table.key.hash.name)) return undefined;
  const range = usable.find(({ op, attribute }) => ranges.has(op.toLowerCase()) && !hash.includes(attribute));
  const last = range === undefined ? [] : [range.attribute];
  const present = table.indexes.find(
    (index) => sameNames(index.hash, hash) && last.every((name) => index.range[0]?.name === name),
  );
  const name = present?.name ?? freeName(table, `By${[...hash, ...last].map(capital).join('')}`);
  const list = (names: readonly string[]) =>
    names.length === 1 ? `'${names[0]}'` : `[${names.map((one) => `'${one}'`).join(', ')}]`;
  const parts = [`hash: ${list(hash)}`, ...last.map((one) => `range: '${one}'`)];
  return {
    index: present === undefined ? `${name}: { ${parts.join(', ')} }` : name,
    key: `[${[...hash.map((one) => `is('${one}', '{${one}}')`), ...(range === undefined ? [] : [rangeCode(range)])].join(', ')}]`,
  };
}

/** An index of this name may stand on something else. */
function freeName(table: Pick<Table, 'indexes'>, wanted: string, others = 1): string {
  const name = others === 1 ? wanted : `${wanted}${others}`;
  return table.indexes.some((index) => index.name === name) ? freeName(table, wanted, others + 1) : name;
}

function rangeCode({ attribute, op }: FoundCondition): string {
  if (op.toLowerCase() === 'begins_with') return `beginsWith('${attribute}', '{${attribute}}')`;
  return `window('${attribute}', { from: '{from}', to: '{to}' })`;
}

/** Stored as it stands, at the top, by some entity, and of one type that keys may have. */
function canBeKey(table: Table, attribute: string): boolean {
  const stated = keyTypesOf(table.entities, attribute, table.ttl);
  const types = new Set(stated.map(({ type }) => type));
  return types.size === 1 && !types.has(undefined) && stated.every(({ derived }) => !derived);
}

const sameNames = (parts: readonly { readonly name: string }[], names: readonly string[]): boolean =>
  parts.length === names.length && parts.every(({ name }) => names.includes(name));

const capital = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
