import { TablewrightError } from '../../../tables/model/error.ts';
import { parseStackConfig } from '../../../tables/model/stack/stack-config.ts';
import { kebabCase } from '../../core/begin/draft-names.ts';
import { draftTable } from '../../core/begin/draft-table.ts';
import { baseNaming } from '../../core/begin/table-naming.ts';
import { showNumber, showUnits } from '../../core/show/numbers.ts';
import type { TableDescription } from '../../core/store/store.ts';
import { type ItemSample, sampleItems } from '../../run/begin/sample-items.ts';
import { describeDraft, draftPlace, draftResult, writeDraft } from '../begin/write-draft.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Action, Context, Given } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import type spec from './table-from-aws.spec.js';

/** Items that are looked at unless told otherwise. */
const usualSample = 500;

/** Writes a first definition of a table that is there. It reads items, and writes none of what is in them. */
const fromAws: Action<typeof spec> = (context, given) => {
  const { name, region, sample: wanted = usualSample, readRate } = given;
  const config =
    region === undefined
      ? undefined
      : parseStackConfig('none', { 'aws:region': region }, context.catalogue, context.project.name);
  return withStack(context, { config }, async (stack) => {
    const found = await stack.store.describeTable(name, context.signal);
    if (found === undefined) throw missing(stack, name);
    const { note, ...naming } = baseNaming(name, stack.config);
    const place = draftPlace(context, naming.name, given.out);
    const sample = await sampleItems(budgetedRead(stack, readRate), name, wanted, context.signal);
    const system = given.system ?? (await systemOf(context, stack, name)) ?? kebabCase(naming.name);
    const draft = draftTable(found, sample, { ...naming, system });
    const notes = [seen(found, sample), ...(note === undefined || config !== undefined ? [] : [note]), ...draft.notes];
    await writeDraft({ ...draft, notes }, place);
    const { units, complete, items } = sample;
    context.output.result({ ...draftResult(draft, place), sample: { items: items.length, complete, units } }, () =>
      [
        `Read       ${read(sample)}`,
        ...describeDraft({ ...draft, notes: notes.slice(1) }, place),
        `  ${doctorHint(context, given)}`,
      ].join('\n'),
    );
    return 0;
  });
};

// DynamoDB developer guide, "DynamoDB local usage notes": without -sharedDb there is a database for each access key and region.
const localKeepsApart =
  'DynamoDB Local shows only tables that were made with the same access key and region, unless it runs with -sharedDb.';

function missing(stack: OpenStack, name: string): TablewrightError {
  const where = stack.endpoint === undefined ? `in ${stack.config.region}` : `at ${stack.endpoint}`;
  const local = stack.endpoint === undefined ? '' : ` ${localKeepsApart}`;
  return new TablewrightError('UNKNOWN_NAME', `${name}: there is no such table ${where}`, {
    next: `Give the name as DynamoDB has it, with the suffix of its stack, and --stack, --region or --endpoint for where it is.${local}`,
  });
}

const read = ({ items, complete, units }: ItemSample): string =>
  `${complete && items.length > 0 ? 'all ' : ''}${showNumber(items.length)} items, ${showUnits(units)} read units`;

function seen({ name, itemCount }: TableDescription, { items, complete }: ItemSample): string {
  const of = complete
    ? `${items.length === 0 ? 'no' : `all ${showNumber(items.length)}`} items`
    : `${showNumber(items.length)} of about ${showNumber(itemCount)} items`;
  return `A first definition of ${name}, from what the table is and ${of}. What was seen stands beside each guess: correct it.`;
}

/** What tags say of the system, where the server has tags. */
async function systemOf(context: Context, stack: OpenStack, name: string): Promise<string | undefined> {
  if ((await stack.lacks(context.signal))?.has('tags')) return undefined;
  const { native } = nativeEnvironment(context, stack);
  const tags = await native.tags(await native.tableArn(name, context.signal), context.signal);
  return [tags.Service, tags.System].find((value) => value !== undefined && /^[a-z][a-z0-9-]{0,30}$/.test(value));
}

function doctorHint(context: Context, { region }: Given<typeof spec>): string {
  return region === undefined
    ? `Then '${showCommand(context, ['doctor'], {})}' says whether it is true.`
    : "Then 'tablewright doctor' with the stack that it belongs to says whether it is true.";
}

export default fromAws;
