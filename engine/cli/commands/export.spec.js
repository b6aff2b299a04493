import { command } from '../spec/command.js';
import { kmsKey, pollMs, readRate } from '../spec/shared-options.js';
import { countUpTo, entityWords, filePath, oneWordOf, onOff, place, tableName, tableWord, time } from '../spec/values.js';

/** More segments than this bring nothing here. */
const maxSegments = 1_024;

export default command({
  words: 'export',
  summary: 'export a table to S3 or a directory, in the layout of DynamoDB’s own exports',
  examples: ['export oms_trading_data --to backups/trading --portable', 'export orders --stack dev'],
  reach: 'store',
  memory: 'steady',
  args: { table: { type: tableWord, optional: true } },
  options: {
    to: { type: place, help: 's3://bucket/prefix or a directory (default: the stack’s bucket)' },
    native: { type: onOff, help: 'by DynamoDB itself, from point-in-time recovery (the default on AWS)' },
    portable: { type: onOff, help: 'by reading the table (the default elsewhere); resumable', excludes: ['native'] },
    tableName: {
      type: tableName,
      many: true,
      help: 'a table of which the catalogue knows nothing, by its physical name; with --all beside the stack’s own',
      only: ['named', 'all'],
    },
    all: { type: onOff, help: 'every table of the stack, into one place; portable', excludes: ['native'] },
    csv: { type: onOff, help: 'CSV files, too, beside the export', only: ['portable', 'named'] },
    entity: { type: entityWords, many: true, help: 'only records of these entities', only: ['portable'] },
    mask: {
      type: filePath,
      help: 'mask attributes by the rules of this YAML file; the key is in TABLEWRIGHT_MASK_KEY',
      only: ['portable', 'all'],
    },
    segments: { type: countUpTo(maxSegments), help: 'segments of the parallel scan', only: ['portable', 'named', 'all'] },
    rate: { ...readRate, only: ['portable', 'named', 'all'] },
    consistent: { type: onOff, help: 'strongly consistent reads, at twice the units', only: ['portable', 'named', 'all'] },
    asOf: { type: time, help: 'native: as of this moment instead of now', only: ['native'] },
    since: { type: time, help: 'native: only what changed from here …', only: ['incremental'], required: true },
    until: { type: time, help: 'native: … to here; 15 minutes to 24 hours', only: ['incremental'], required: true },
    images: {
      type: oneWordOf(['new-and-old', 'new']),
      shown: 'which',
      default: 'new-and-old',
      help: 'native, incremental: what changes show',
      only: ['incremental'],
    },
    kmsKey: { ...kmsKey, help: `${kmsKey.help} (default: S3’s own)`, only: ['native', 'incremental'] },
    pollMs: { ...pollMs, only: ['native', 'incremental'] },
  },
  modes: {
    portable: 'a portable export (--portable; the default on the local stack, with --endpoint, with --entity and --mask)',
    native: 'a native export (--native; the default on AWS)',
    incremental: 'an incremental native export (--since and --until)',
    named: 'an export of a table without an entry in the catalogue (--table-name)',
    all: 'an export of all tables (--all)',
  },
  mode: ({ native, portable, since, until, entity, mask, tableName: named, all }, { stack, endpoint }) => {
    if (all) return 'all';
    if (named) return 'named';
    const elsewhere = stack === 'local' || endpoint !== undefined;
    if (portable || (!native && (elsewhere || entity || mask))) return 'portable';
    return since || until ? 'incremental' : 'native';
  },
});
