import { command } from '../spec/command.js';
import { kmsKey, pollMs, threads, writeRate, yes } from '../spec/shared-options.js';
import { filePath, name, nameList, oneWordOf, onOff, place, tableName, tableWord } from '../spec/values.js';

export default command({
  words: 'import',
  summary: 'import an export, native or portable, full or incremental, into a table; resumable',
  examples: [
    'import backups/trading --table oms_trading_data',
    'import backups/trading --table oms_trading_data --skip-existing --again',
  ],
  reach: 'store',
  memory: 'steady',
  args: { source: { type: place } },
  options: {
    table: {
      type: tableWord,
      shown: 'table',
      help: 'the table to import into; needed but with --all and --table-name',
    },
    tableName: {
      type: tableName,
      required: true,
      help: 'a table of which the catalogue knows nothing, by its physical name; it is made as the export’s was if it is missing',
      only: ['named'],
    },
    all: { type: onOff, help: 'every table of an export by --all, each into the table of its name', excludes: ['native'] },
    ifNewer: {
      type: name,
      shown: 'attribute',
      help: 'replace an item only where this attribute is less than the export’s',
      only: ['write', 'named', 'all'],
      excludes: ['skipExisting'],
    },
    skipExisting: { type: onOff, help: 'replace no item that is there', only: ['write', 'named', 'all'] },
    transform: { type: filePath, help: 'a module whose default export turns an item into items', only: ['write', 'named'] },
    verify: {
      type: oneWordOf(['none', 'count', 'sample', 'full']),
      shown: 'depth',
      default: 'sample',
      help: 'compare afterwards: none, count, sample or full',
      only: ['write', 'named', 'all', 'bulk'],
    },
    again: { type: onOff, help: 'begin at the beginning, whatever was imported before', only: ['write', 'named', 'all', 'bulk'] },
    deadLetters: { type: filePath, help: 'where items go that cannot be written', only: ['write', 'named', 'all', 'bulk'] },
    rate: { ...writeRate, only: ['write', 'named', 'all', 'bulk'] },
    yes: { ...yes, only: ['write', 'named', 'all', 'bulk'] },
    csv: {
      type: onOff,
      help: 'CSV files, a folder of them or one, typed by the catalogue; unquoted empty cells are left out',
      only: ['write', 'named'],
    },
    delimiter: {
      type: oneWordOf([',', ';', ':', '|', 'tab', 'space']),
      shown: 'sign',
      help: 'csv: what stands between cells (default: a comma)',
      only: ['write', 'named'],
      needs: 'csv',
    },
    header: {
      type: nameList,
      help: 'csv: the columns, where the files have no header line',
      only: ['write', 'named'],
      needs: 'csv',
    },
    threads: { ...threads, only: ['write', 'named', 'all'], excludes: ['ifNewer', 'skipExisting'] },
    native: { type: onOff, help: 'have DynamoDB make a new table from the export' },
    bulk: { type: onOff, help: 'have DynamoDB put the export into the table (AWS alone)', excludes: ['native', 'all'] },
    overwrite: { type: onOff, help: 'bulk: needed on a production stack, for it replaces what is there', only: ['bulk'] },
    cancel: { type: onOff, help: 'bulk: have DynamoDB end the bulk put of this export', only: ['bulk'] },
    as: {
      type: tableName,
      help: 'native: the new table’s name (default: the table’s own, with -imported)',
      only: ['native'],
    },
    kmsKey: { ...kmsKey, help: `${kmsKey.help} (default: the stack’s)`, only: ['native'] },
    pollMs: { ...pollMs, only: ['native', 'bulk'] },
  },
  modes: {
    write: 'an import into the table as it is',
    named: 'an import into a table without an entry in the catalogue (--table-name)',
    all: 'an import of all tables (--all)',
    native: 'a native import (--native)',
    bulk: 'a bulk put (--bulk)',
  },
  mode: ({ native, bulk, all, tableName: named }) => {
    if (native) return 'native';
    if (bulk) return 'bulk';
    if (all) return 'all';
    return named ? 'named' : 'write';
  },
});
