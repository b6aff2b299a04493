import { draftTable } from '../../core/begin/draft-table.ts';
import type { KeyElement } from '../../core/store/store.ts';
import { describeDraft, draftResult, writeDraft } from '../begin/write-draft.ts';
import type { Action, Given } from '../context.ts';
import type spec from './table-new.spec.js';

/** Writes a first definition of a table of which no more than its keys is known. */
const newTable: Action<typeof spec> = async (context, given) => {
  const { name, system = name, out } = given;
  const draft = draftTable(
    described(given),
    { items: [], complete: true },
    { name, system, suffix: 'outside-prod', kind: 'development' },
  );
  const file = await writeDraft(context, draft, out);
  context.output.result(draftResult(draft, file), () => describeDraft(draft, file).join('\n'));
  return 0;
};

type Keys = Pick<Given<typeof spec>['index'][number], 'hash' | 'range'>;

function described({ hash, range, index, ttl }: Given<typeof spec>): Parameters<typeof draftTable>[0] {
  const own = { hash, ...(range === undefined ? {} : { range }) };
  const keys = [own, ...index].flatMap((one: Keys) => (one.range === undefined ? [one.hash] : [one.hash, one.range]));
  return {
    key: elements(own),
    attributes: Object.fromEntries(keys.map(({ name, type }) => [name, type])),
    billing: 'PAY_PER_REQUEST',
    capacity: { read: 0, write: 0 },
    ttl: { status: ttl === undefined ? 'DISABLED' : 'ENABLED', attribute: ttl },
    indexes: index.map((one) => ({
      name: one.name,
      status: 'ACTIVE',
      key: elements(one),
      projection: { ProjectionType: 'ALL' },
      capacity: { read: 0, write: 0 },
    })),
    settings: { localIndexes: [] },
  };
}

function elements({ hash, range }: Keys): readonly KeyElement[] {
  const first: KeyElement = { AttributeName: hash.name, KeyType: 'HASH' };
  return range === undefined ? [first] : [first, { AttributeName: range.name, KeyType: 'RANGE' }];
}

export default newTable;
