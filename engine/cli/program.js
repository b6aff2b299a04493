// Plain JavaScript: `--help` and usage errors answer without loading the compiler or the SDK.
import { Command, InvalidArgumentError, Option } from 'commander';

/**
 * @typedef {object} CommandSpec
 * @property {string} usage The words of the command and its arguments, as in `query <pattern> [parameters...]`
 * @property {string} module The file in `commands/` that carries it out
 * @property {string} description
 * @property {readonly Option[]} [options]
 */

/** @param {string} text */
function port(text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535)
    throw new InvalidArgumentError('a port from 1 to 65535 was expected.');
  return value;
}

/** @param {string} text */
function count(text) {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('a whole number of at least 1 was expected.');
  return Number(text);
}

/** @param {string} text */
function percent(text) {
  const value = Number(text.replace(/%$/, ''));
  if (!(value > 0 && value <= 100)) throw new InvalidArgumentError('a share of reads above 0 and up to 100 % was expected.');
  return value;
}

const all = () => new Option('--all', 'every pattern that was ever read by Scan');

const upTo = () => new Option('--to <migration>', 'up to and including this one, by id or number');
const sample = () => new Option('--sample <n>', 'of dry runs: look at so many items instead of all').argParser(count);
const accept = () => new Option('--accept', 'take changed sources, gaps and wrong order as they are');
const yes = () => new Option('--yes', 'do not ask on a production stack');
const budgets = () => [
  new Option('--rate <units>', 'write units per second, index writes included (default: the stack’s budget)').argParser(count),
  new Option('--read-rate <units>', 'read units per second (default: the stack’s budget)').argParser(count),
  new Option('--segments <n>', 'segments of the parallel scan, for steps that begin now').argParser(count),
  new Option('--include-expired', 'items too whose TTL has passed'),
];
const guards = () => [yes(), new Option('--no-pitr-ok', 'go on in production without point-in-time recovery')];

/** What `query` sends and `explain` shows. */
const reading = () => [
  new Option('--limit <n>', 'at most so many records').argParser(count),
  new Option('--reverse', 'last record first, where the pattern is sorted and has no limit of its own'),
  new Option('--consistent', 'see every acknowledged write, at twice the units; not through an index'),
  new Option('--way <way>', 'read it so, whatever its cut-over state').choices(['query', 'scan']),
];

/** @param {string} usual */
const kmsKey = (usual) => new Option('--kms-key <arn>', `native: encrypt with this key (default: ${usual})`);
const pollMs = () => new Option('--poll-ms <n>', 'native: how often to ask whether it is done').argParser(count).hideHelp();

/** @type {readonly CommandSpec[]} */
export const commands = [
  {
    usage: 'up',
    module: 'up',
    description: 'local stack: create every table, load the fixtures, run the migrations, run every access pattern',
    options: [
      new Option('--keep', 'stay up afterwards and print the endpoints (Ctrl-C stops)'),
      new Option('--port <n>', 'the port of the local DynamoDB engine (8000 with --keep, else any free one)').argParser(port),
      new Option('--fresh', 'throw the local data away first'),
    ],
  },
  { usage: 'tables [table]', module: 'tables', description: 'list the tables, or show one with its indexes and entities' },
  { usage: 'patterns [prefix]', module: 'patterns', description: 'list the access patterns, all or those whose name begins so' },
  {
    usage: 'query <pattern> [parameters...]',
    module: 'query',
    description: 'run an access pattern: query oms.trading.ordersOfClient clientId=client_123',
    options: reading(),
  },
  {
    usage: 'explain <pattern> [parameters...]',
    module: 'explain',
    description: 'the request that a pattern makes, its index, its expected read units, and why it is a Scan or none',
    options: reading(),
  },
  {
    usage: 'cutover status',
    module: 'cutover-status',
    description: 'how each pattern that was once a Scan is read now: scan, shadow or query',
  },
  {
    usage: 'cutover check [patterns...]',
    module: 'cutover-check',
    description: 'prove that Query and Scan give the same answers, for every value in the table; exit 1 if not',
    options: [all()],
  },
  {
    usage: 'cutover apply [patterns...]',
    module: 'cutover-apply',
    description: 'read by Query from now on; only if the index is ACTIVE, its backfill verified and parity holds',
    options: [all(), yes()],
  },
  {
    usage: 'cutover revert [patterns...]',
    module: 'cutover-revert',
    description: 'read by Scan again, at once',
    options: [all()],
  },
  {
    usage: 'cutover shadow [patterns...]',
    module: 'cutover-shadow',
    description: 'answer by Scan and try the Query beside it on a share of reads, recording differences and cost',
    options: [all(), new Option('--share <percent>', 'of the reads').argParser(percent).default(10)],
  },
  {
    usage: 'seed [sets...]',
    module: 'seed',
    description: 'load seed sets, all that fit the stack or those named, or volume data; never into production',
    options: [
      new Option('--system <name>', 'only the sets of this system'),
      new Option('--volume <n>', 'write so many generated rows instead of the fixtures').argParser(count),
      new Option('--random-seed <n>', 'the random seed of volume data; the same seed gives the same rows (default 1)').argParser(
        count,
      ),
      new Option('--rate <wcu>', 'write units per second that each table may use, index writes included').argParser(count),
      new Option('--concurrency <n>', 'batches in flight at once').argParser(count),
      new Option('--dry-run', 'say what would be written and write nothing'),
      new Option('--prune', 'delete rows of the sets that are no longer in their files'),
      new Option('--overwrite', 'write rows too that were edited since, or were there before'),
    ],
  },
  {
    usage: 'status',
    module: 'status',
    description: 'every migration with its state, what it changed and cost, and who holds the lock; exit 1 if something is open',
  },
  {
    usage: 'plan',
    module: 'plan',
    description: 'what the pending migrations would change and cost; writes nothing',
    options: [upTo(), sample(), accept(), ...budgets()],
  },
  {
    usage: 'migrate',
    module: 'migrate',
    description: 'run the pending migrations in order, verify each, go on where an earlier run stopped',
    options: [upTo(), new Option('--dry-run', 'the same as plan'), sample(), accept(), ...budgets(), ...guards()],
  },
  {
    usage: 'verify [migration]',
    module: 'verify',
    description: 'prove that applied migrations left nothing over, all or one',
    options: budgets(),
  },
  {
    usage: 'rollback',
    module: 'rollback',
    description: 'undo the last migration wherever the values are still the ones it set',
    options: [new Option('--to <migration>', 'undo everything after this one; 0 undoes all'), ...budgets(), ...guards()],
  },
  {
    usage: 'retry <migration>',
    module: 'retry',
    description: 'go over the dead letters of a migration once more, and only those',
    options: [...budgets(), ...guards()],
  },
  {
    usage: 'repair',
    module: 'repair',
    description: 'correct the ledger after a dead runner, a changed or a removed file',
    options: [yes()],
  },
  {
    usage: 'history <migration>',
    module: 'history',
    description: 'what happened to a migration, when, by whom; its dead letters',
  },
  {
    usage: 'report <migration>',
    module: 'report',
    description: 'a page with throughput, units against budget, throttles, segments and counts',
    options: [new Option('--out <file>', 'where to write it (default: .tablewright/reports/<stack>-<migration>.html)')],
  },
  { usage: 'pause', module: 'pause', description: 'make a running migrate hold still, from another terminal' },
  { usage: 'resume', module: 'resume', description: 'let a paused migrate go on' },
  {
    usage: 'unlock',
    module: 'unlock',
    description: 'show who holds the lock of the migrations',
    options: [new Option('--force', 'take it away: its holder can write nothing more'), yes()],
  },
  { usage: 'migration new <name>', module: 'migration-new', description: 'write the skeleton of a migration and its test' },
  {
    usage: 'export <table>',
    module: 'export',
    description: 'export a table to S3 or a directory, in the layout of DynamoDB’s own exports',
    options: [
      new Option('--to <place>', 's3://bucket/prefix or a directory (default: the stack’s bucket)'),
      new Option('--native', 'by DynamoDB itself, from point-in-time recovery (the default on AWS)'),
      new Option('--portable', 'by reading the table (the default elsewhere); resumable'),
      new Option('--entity <names...>', 'only records of these entities'),
      new Option('--mask <file>', 'mask attributes by the rules of this JSON file; the key is in TABLEWRIGHT_MASK_KEY'),
      new Option('--segments <n>', 'segments of the parallel scan').argParser(count),
      new Option('--rate <units>', 'read units per second (default: the stack’s budget)').argParser(count),
      new Option('--consistent', 'strongly consistent reads, at twice the units'),
      new Option('--as-of <time>', 'native: as of this moment instead of now'),
      new Option('--since <time>', 'native: only what changed from here …'),
      new Option('--until <time>', 'native: … to here; 15 minutes to 24 hours'),
      new Option('--images <which>', 'native, incremental: what changes show').choices(['new-and-old', 'new']),
      kmsKey('S3’s own'),
      pollMs(),
    ],
  },
  {
    usage: 'import <source>',
    module: 'import',
    description: 'import an export, native or portable, full or incremental, into a table; resumable',
    options: [
      new Option('--table <table>', 'the table to import into').makeOptionMandatory(),
      new Option('--if-newer <attribute>', 'replace an item only where this attribute is less than the export’s'),
      new Option('--skip-existing', 'replace no item that is there'),
      new Option('--transform <file>', 'a module whose default export turns an item into items'),
      new Option('--verify <depth>', 'compare afterwards (default: a sample)').choices(['none', 'count', 'sample', 'full']),
      new Option('--again', 'begin at the beginning, whatever was imported before'),
      new Option('--dead-letters <file>', 'where items go that cannot be written'),
      new Option('--rate <units>', 'write units per second, index writes included (default: the stack’s budget)').argParser(
        count,
      ),
      yes(),
      new Option('--native', 'have DynamoDB make a new table from the export'),
      new Option('--as <name>', 'native: the new table’s name (default: the table’s own, with -imported)'),
      kmsKey('the stack’s'),
      pollMs(),
    ],
  },
  {
    usage: 'archive',
    module: 'archive',
    description: 'write the statistics of backtest scans to S3 before TTL takes the results; once per scan',
    options: [
      new Option('--to <place>', 's3://bucket/prefix or a directory (default: statistics/ in the stack’s bucket)'),
      new Option('--scan <id...>', 'only these scans'),
      new Option('--again', 'write the statistics of archived scans anew'),
      new Option('--rate <units>', 'read units per second (default: the stack’s budget)').argParser(count),
    ],
  },
  {
    usage: 'backup create <table>',
    module: 'backup-create',
    description: 'take an on-demand backup of a table and wait for it',
    options: [new Option('--name <name>', 'the backup’s name (default: table and time)'), pollMs()],
  },
  { usage: 'backup list [table]', module: 'backup-list', description: 'list the backups of the stack’s tables' },
  { usage: 'backup delete <arn>', module: 'backup-delete', description: 'delete a backup', options: [yes()] },
  {
    usage: 'restore <table>',
    module: 'restore',
    description: 'restore a table into a new one, put back what a restore loses, and compare it with the catalogue',
    options: [
      new Option('--from-backup <arn>', 'from this backup'),
      new Option('--to-time <time>', 'as of this moment (or latest), from point-in-time recovery'),
      new Option('--as <name>', 'the new table’s name').makeOptionMandatory(),
      pollMs(),
    ],
  },
  { usage: 'pitr status [table]', module: 'pitr-status', description: 'show what point-in-time recovery covers' },
  {
    usage: 'audit scans <paths...>',
    module: 'audit-scans',
    description: 'find Scan in TypeScript and JavaScript, with the access pattern to use instead',
    options: [
      new Option('--format <format>', 'how to print it').choices(['text', 'json', 'sarif']).default('text'),
      new Option('--fail', 'exit 1 if there is any, for CI'),
    ],
  },
  {
    usage: 'audit usage <paths...>',
    module: 'audit-usage',
    description: 'list the patterns and indexes that the code at these paths does not use',
    options: [new Option('--fail', 'exit 1 if there is any')],
  },
  { usage: 'doctor', module: 'doctor', description: 'compare what the stack really has with the catalogue' },
];

/** What the words that only lead to further commands stand for. @type {Record<string, string>} */
const groups = {
  audit: 'find Scans in source code, and patterns and indexes that nothing uses',
  backup: 'on-demand backups of a table',
  cutover: 'move reads from Scan to Query, proven pattern by pattern',
  migration: 'make a new migration',
  pitr: 'point-in-time recovery of the tables',
};

/**
 * @param {string} version
 * @param {(module: string, positional: unknown[], options: Record<string, unknown>) => Promise<void>} run
 */
export function buildProgram(version, run) {
  const program = new Command('tablewright')
    .description('DynamoDB tables, migrations and seeds from one typed catalogue')
    .version(version)
    .option('--stack <name>', 'the stack: local, or one that has a Pulumi.<name>.yaml', 'local')
    .option('--endpoint <url>', 'a DynamoDB-compatible server to use instead of AWS or the embedded engine')
    .option('--json', 'results and progress as JSON lines')
    .option('--quiet', 'print results and errors only')
    .option('--debug', 'print stack traces')
    .showHelpAfterError("(run 'tablewright --help' for what there is)")
    .exitOverride();
  for (const spec of commands) addCommand(program, spec, run);
  return program;
}

/**
 * @param {Command} program
 * @param {CommandSpec} spec
 * @param {(module: string, positional: unknown[], options: Record<string, unknown>) => Promise<void>} run
 */
function addCommand(program, spec, run) {
  const [name = '', ...args] = spec.usage.split(/ (?=[<[])/);
  const words = name.split(' ');
  let parent = program;
  for (const word of words.slice(0, -1)) {
    parent =
      parent.commands.find((child) => child.name() === word) ??
      parent
        .command(word)
        .description(groups[word] ?? '')
        .exitOverride();
  }
  const command = parent
    .command([words.at(-1), ...args].join(' '))
    .description(spec.description)
    .exitOverride();
  for (const option of spec.options ?? []) command.addOption(option);
  command.action(async (...given) => {
    await run(spec.module, given.slice(0, -2), command.optsWithGlobals());
  });
}
