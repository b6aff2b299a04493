import { command } from '../spec/command.js';
import { tableWord } from '../spec/values.js';

/** Ids stand in keys of the ledger and in file names, so they stay short. */
const maxLength = 100;

/** @type {import('../spec/command-spec.ts').Value<string>} */
const migrationName = {
  shown: 'name',
  expected: `a name like index-orders (verb-noun, lower case, at most ${maxLength} characters)`,
  read: (given) => (given.length <= maxLength && /^[a-z0-9]+(-[a-z0-9]+)+$/.test(given) ? given : undefined),
};

export default command({
  words: 'migration new',
  summary: 'write the skeleton of a migration and its test, neither of which passes until it is written',
  examples: ['migration new fill-order-currency --table orders', 'migration new index-trades-by-day --table trades --json'],
  reach: 'nothing',
  args: { name: { type: migrationName } },
  options: { table: { type: tableWord, required: true, help: 'the table that it changes, by its name in the catalogue' } },
});
