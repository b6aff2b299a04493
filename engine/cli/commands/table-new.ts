import { TablewrightError } from '../../../tables/model/error.ts';
import { keySchemaProblems } from '../../../tables/model/prove-keys.ts';
import { keyAttributes, keyParts } from '../../../tables/model/table.ts';
import { kebabCase } from '../../core/begin/draft-names.ts';
import { draftTable } from '../../core/begin/draft-table.ts';
import { keyElements } from '../../core/tables/create-table.ts';
import { describeDraft, draftPlace, draftResult, writeDraft } from '../begin/write-draft.ts';
import type { Action, Given } from '../context.ts';
import type spec from './table-new.spec.js';

/** Writes a first definition of a table of which no more than its keys is known. */
const newTable: Action<typeof spec> = async (context, given) => {
  const { name, system = kebabCase(name), out } = given;
  if (context.catalogue.some((table) => table.name === name)) throw taken(name);
  const problems = keyProblems(given);
  if (problems.length > 0) throw impossible(name, problems);
  const place = draftPlace(context, name, out);
  const draft = draftTable(
    described(given),
    { items: [], complete: true },
    { name, system, suffix: 'outside-prod', kind: 'development' },
  );
  await writeDraft(draft, place);
  context.output.result(draftResult(draft, place), () => describeDraft(draft, place).join('\n'));
  return 0;
};

function taken(name: string): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${name}: the catalogue has a table of this name`, {
    next: `Take another name; 'tablewright tables ${name}' shows the one that there is.`,
  });
}

function impossible(name: string, problems: readonly string[]): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${name}: DynamoDB would not make such a table`, {
    problems,
    next: 'Correct --hash, --range, --index and --ttl; nothing was written.',
  });
}

/** Asked of the words themselves: a description has one type for a name, and one index of a name. */
function keyProblems({ hash, range, index, ttl }: Given<typeof spec>): readonly string[] {
  const indexes = index.map((one) => ({ ...one, projection: 'ALL' as const }));
  const schema = { key: range === undefined ? { hash } : { hash, range }, indexes };
  const timed = keyAttributes(schema).find(({ name }) => name === ttl);
  return [
    ...keySchemaProblems({ ...schema, entities: [] }),
    ...(timed === undefined || timed.type === 'N'
      ? []
      : [`the key ${ttl} has type ${timed.type}, and the time of --ttl is a number`]),
  ];
}

function described({ hash, range, index, ttl }: Given<typeof spec>): Parameters<typeof draftTable>[0] {
  const own = range === undefined ? { hash } : { hash, range };
  const keys = [own, ...index].map(keyParts).flatMap((one) => [...one.hash, ...one.range]);
  return {
    key: keyElements(own),
    attributes: Object.fromEntries(keys.map(({ name, type }) => [name, type])),
    billing: 'PAY_PER_REQUEST',
    capacity: { read: 0, write: 0 },
    ttl: { status: ttl === undefined ? 'DISABLED' : 'ENABLED', attribute: ttl },
    indexes: index.map((one) => ({
      name: one.name,
      status: 'ACTIVE',
      key: keyElements(one),
      projection: { ProjectionType: 'ALL' },
      capacity: { read: 0, write: 0 },
    })),
    settings: { localIndexes: [] },
  };
}

export default newTable;
