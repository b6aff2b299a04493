import { command } from '../spec/command.js';
import { kmsKey, pollMs, threads, writeRate, yes } from '../spec/shared-options.js';
import { filePath, name, oneWordOf, onOff, place, tableName } from '../spec/values.js';

export default command({
  words: 'import',
  summary: 'import an export, native or portable, full or incremental, into a table; resumable',
  reach: 'store',
  args: { source: { type: place } },
  options: {
    table: { type: name, shown: 'table', required: true, help: 'the table to import into' },
    ifNewer: {
      type: name,
      shown: 'attribute',
      help: 'replace an item only where this attribute is less than the export’s',
      only: ['write'],
      excludes: ['skipExisting'],
    },
    skipExisting: { type: onOff, help: 'replace no item that is there', only: ['write'] },
    transform: { type: filePath, help: 'a module whose default export turns an item into items', only: ['write'] },
    verify: {
      type: oneWordOf(['none', 'count', 'sample', 'full']),
      shown: 'depth',
      default: 'sample',
      help: 'compare afterwards: none, count, sample or full',
      only: ['write'],
    },
    again: { type: onOff, help: 'begin at the beginning, whatever was imported before', only: ['write'] },
    deadLetters: { type: filePath, help: 'where items go that cannot be written', only: ['write'] },
    rate: { ...writeRate, only: ['write'] },
    threads: { ...threads, only: ['write'], excludes: ['ifNewer', 'skipExisting'] },
    yes: { ...yes, only: ['write'] },
    native: { type: onOff, help: 'have DynamoDB make a new table from the export' },
    as: {
      type: tableName,
      help: 'native: the new table’s name (default: the table’s own, with -imported)',
      only: ['native'],
    },
    kmsKey: { ...kmsKey, help: `${kmsKey.help} (default: the stack’s)`, only: ['native'] },
    pollMs: { ...pollMs, only: ['native'] },
  },
  modes: { write: 'an import into the table as it is', native: 'a native import (--native)' },
  mode: ({ native }) => (native ? 'native' : 'write'),
});
