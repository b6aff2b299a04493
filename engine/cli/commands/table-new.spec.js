import { command, option } from '../spec/command.js';
import { indexOf, typedKey } from '../spec/key-values.js';
import { filePath, name, tableName } from '../spec/values.js';

export default command({
  words: 'table new',
  summary: 'write a first definition of a table that is yet to be made',
  examples: [
    'table new audit --hash actor --range at:N --ttl expires_at',
    'table new invoices --hash PK --range SK --index ByDay=day,at:N --out drafts/invoices.ts',
  ],
  reach: 'nothing',
  args: { name: { type: tableName } },
  options: {
    hash: option({ type: typedKey, required: true, help: 'the partition key, as PK or at:N' }),
    range: option({ type: typedKey, help: 'the sort key' }),
    index: option({
      type: indexOf,
      many: true,
      help: 'an index with its keys, as ByActor=actor,at:N; several for one purpose as hall+shelf',
    }),
    ttl: option({ type: name, help: 'the attribute that says when a record expires' }),
    system: option({ type: name, help: 'the system that it belongs to (default: its name)' }),
    out: option({ type: filePath, help: 'the file to write (default: tables/NAME.ts)' }),
  },
});
