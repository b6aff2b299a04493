import { command } from '../spec/command.js';
import { kmsKey, pollMs, readRate } from '../spec/shared-options.js';
import { countUpTo, filePath, name, nameList, oneWordOf, onOff, place, time } from '../spec/values.js';

/** More segments than this bring nothing here. */
const maxSegments = 1_024;

export default command({
  words: 'export',
  summary: 'export a table to S3 or a directory, in the layout of DynamoDB’s own exports',
  reach: 'store',
  args: { table: { type: name } },
  options: {
    to: { type: place, help: 's3://bucket/prefix or a directory (default: the stack’s bucket)' },
    native: { type: onOff, help: 'by DynamoDB itself, from point-in-time recovery (the default on AWS)' },
    portable: { type: onOff, help: 'by reading the table (the default elsewhere); resumable', excludes: ['native'] },
    entity: { type: nameList, many: true, help: 'only records of these entities', only: ['portable'] },
    mask: {
      type: filePath,
      help: 'mask attributes by the rules of this YAML file; the key is in TABLEWRIGHT_MASK_KEY',
      only: ['portable'],
    },
    segments: { type: countUpTo(maxSegments), help: 'segments of the parallel scan', only: ['portable'] },
    rate: { ...readRate, only: ['portable'] },
    consistent: { type: onOff, help: 'strongly consistent reads, at twice the units', only: ['portable'] },
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
  },
  mode: ({ native, portable, since, until, entity, mask }, { stack, endpoint }) => {
    const elsewhere = stack === 'local' || endpoint !== undefined;
    if (portable || (!native && (elsewhere || entity || mask))) return 'portable';
    return since || until ? 'incremental' : 'native';
  },
});
