import { z } from 'zod';
import type { MigrateEvent } from '../../engine/core/migrate/migrate-event.ts';

/*
 * Every line that a command prints with --json. docs/json.schema.json and the table in docs/json.md are made from this by
 * `npm run json-schema`. Every test that runs a command with --json holds its lines against it.
 */

const text = z.string();
const texts = z.array(text);
const count = z.number();
const yes = z.boolean();
const orNull = <S extends z.ZodType>(schema: S) => z.union([schema, z.null()]);
/** An object whose members follow the toolkit's own records; more of them may come. */
const open = (members: z.core.$ZodLooseShape = {}) => z.looseObject(members);
const line = (members: z.core.$ZodLooseShape) => z.strictObject({ version: z.literal(1), ...members });
const event = (name: string, members: z.core.$ZodLooseShape = {}) => line({ event: z.literal(name), ...members });

const counts = z.strictObject({
  ...{ scanned: count, foreign: count, expired: count, right: count, changed: count },
  ...{ gone: count, dead: count, conflicts: count, kept: count },
});
const units = z.strictObject({ read: count, write: count });
const pass = z.enum(['apply', 'verify', 'rollback']);
const readState = z.enum(['scan', 'shadow', 'query']);
const difference = z.strictObject({ table: text, what: text, expected: text, found: text, remedy: open().optional() });
const backup = { arn: text, name: text, table: text, status: text, type: text, createdAt: text, bytes: count.optional() };
/** As DynamoDB's own JSON has an item or a key: each value under its type. */
const stored = z.record(text, z.record(text, z.unknown()));
/** Infinity has no place in JSON. */
const rate = orNull(count);
const throttling = z.strictObject({ reason: text, resource: text.optional(), text: text.optional() });
const slow = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('learning') }),
  z.strictObject({ kind: z.literal('budget'), unitsPerSecond: rate }),
  z.strictObject({ kind: z.literal('partition'), part: text, share: count, unitsPerSecond: rate }),
  z.strictObject({ kind: z.literal('refused'), share: count, unitsPerSecond: rate, reasons: z.array(throttling).optional() }),
]);
const warming = z.array(z.strictObject({ table: text, index: text.optional(), from: count, to: count, cost: count }));

/** Of every command. */
export const commonLines = {
  error: z.looseObject({
    version: z.literal(1),
    error: text.regex(/^[A-Z_]+$/),
    message: text.optional(),
    problems: texts.optional(),
    next: text.optional(),
  }),
  progress: z.looseObject({
    ...{ version: z.literal(1), event: z.literal('progress'), label: text, counted: text, done: count, total: orNull(count) },
    ...{ percent: orNull(count), perSecond: count, unitsPerSecond: orNull(count), unitsBudget: orNull(count) },
    ...{ throttles: count, etaSeconds: orNull(count), slow: orNull(text), remark: orNull(text) },
  }),
  endpoint: event('endpoint', { service: text, source: text, url: text }),
  'left-out': event('left-out', { message: text }),
  trace: event('trace', { stack: text.optional(), cause: text.optional() }),
} as const;

/** All that a run tells but its progress: the compiler says which is missing. */
const told = {
  'lock-taken': event('lock-taken', { token: count, takenOver: text.optional() }),
  'migration-started': event('migration-started', { migration: text, description: text, resumed: yes }),
  'step-started': event('step-started', { migration: text, step: text, pass, segments: count }),
  pace: event('pace', { table: text, what: z.enum(['read', 'write']), slow: slow.optional() }),
  retry: event('retry', { table: text, items: count.optional(), cause: text, delayMs: count }),
  paused: event('paused', { by: text }),
  resumed: event('resumed'),
  held: event('held', { by: text, alarms: z.array(z.strictObject({ name: text, reason: text })) }),
  released: event('released'),
  'alarms-unseen': event('alarms-unseen', { message: text, held: yes }),
  'alarms-seen': event('alarms-seen'),
  'dead-letter': event('dead-letter', { migration: text, table: text, key: text }),
  leftovers: event('leftovers', { migration: text, step: text, count, keys: texts }),
  message: event('message', { migration: text, step: text, message: text }),
  'step-done': event('step-done', { migration: text, step: text, pass, counts, units, elapsedMs: count }),
  'migration-done': event('migration-done', { migration: text, state: text, counts, units }),
} satisfies Readonly<Record<Exclude<MigrateEvent['kind'], 'progress'>, z.ZodType>>;

const migrating = { ...told, warm: event('warm', { units: count, raised: warming }) };

const native = {
  'job-started': event('job-started', { arn: text }),
  'job-picked-up': event('job-picked-up', { arn: text }),
  'job-left': event('job-left', { arn: text, why: text }),
  'put-back': event('put-back', { what: text }),
};

/** What the partitions of a table and of its indexes take. */
const partitions = z.strictObject({
  limits: z.array(
    z.strictObject({
      ...{ part: text, keys: count, exact: yes, largest: text.optional(), share: count },
      ...{ ownUnitsPerSecond: rate, unitsPerSecond: rate },
    }),
  ),
  ...{ segments: count, segmentUnitsPerSecond: rate, unitsPerSecond: rate, heldBy: text },
});

const listeners = z.strictObject({
  stream: z.strictObject({ arn: text, view: text }).optional(),
  ...{ kinesis: texts, replicas: texts, unseen: texts },
  triggers: z.array(z.strictObject({ uuid: text, functionName: text, source: text, state: text, batchSize: count.optional() })),
});

const stepPlan = z.strictObject({
  ...{ step: text, kind: text, table: text.optional(), counts, units, sampled: count.optional(), cost: orNull(count) },
  ...{ etaSeconds: count, partitions: partitions.optional(), writes: count, listeners: listeners.optional() },
  ...{ mark: text.optional(), consumers: z.literal('paused').optional(), hints: texts },
  differences: z.array(z.strictObject({ key: text, before: orNull(stored), after: stored, remove: texts })),
  poison: z.array(z.strictObject({ key: text, reason: text })),
});

const plans = line({
  plans: z.array(
    z.strictObject({
      ...{ id: text, description: text, phase: text.optional(), kind: text, reason: text.optional() },
      steps: z.array(stepPlan),
    }),
  ),
  warming: warming.optional(),
});

const parity = z.strictObject({
  ...{ pattern: text, index: orNull(text), indexStatus: text, values: count, records: count },
  outcome: z.enum(['holds', 'differs', 'unsettled', 'not-readable']),
  differences: z.array(open({ kind: text, key: text, cause: text, detail: text })),
  ...{ truncated: yes, unsettled: texts, settled: count, units: count },
  cost: z.strictObject({ scan: count, query: count, queryMax: count }),
  latency: orNull(z.strictObject({ scan: count, query: count })),
});

const moved = line({
  stack: text,
  outcomes: z.array(z.strictObject({ pattern: text, from: readState, to: readState, changed: yes })),
});

const table = {
  ...{ name: text, table: text, system: text, description: text, key: texts, ttl: orNull(text), patterns: texts },
  indexes: z.array(z.strictObject({ name: text, key: texts, hash: texts, range: texts, projection: z.union([text, open()]) })),
  entities: z.array(z.strictObject({ name: text, attributes: texts })),
};

const draft = {
  ...{ file: text, table: text, exported: text, entities: texts, indexes: texts, patterns: texts, notes: texts },
};

const verified = z.strictObject({ depth: text, compared: count, differences: texts, differing: count });
const unreadable = z.array(open({ file: text, line: count, column: count, message: text }));
const subjectRecord = z.looseObject({
  ...{ version: z.literal(1), event: z.literal('subject-record'), table: text, entity: orNull(text), key: text },
  kind: z.enum(['own', 'mention']),
});
const subjectErased = { removed: z.record(text, count), mentions: count, id: text.optional(), left: count.optional() };
const migrationRecord = z.strictObject({
  ...{ id: text, description: text, state: text, checksum: text, generation: count, who: text, host: text },
  ...{ commit: text.optional(), startedAt: text, updatedAt: text, finishedAt: text.optional(), verifiedAt: text.optional() },
  ...{ token: count, counts, units, dead: count, error: z.strictObject({ code: text, message: text }).optional() },
});
const lease = z.strictObject({
  ...{ scope: text, token: count, holder: text, since: text, leaseUntil: count, doing: text, waiting: text.optional() },
  // Of an execution by workers.
  ...{ turn: count.optional(), working: yes.optional(), attempt: count.optional() },
});
/** A lock, or what can be told of one whose record cannot be read. */
const lock = z.union([lease, z.strictObject({ format: count }), z.strictObject({ damaged: texts })]);
const bulkOperation = z.strictObject({
  arn: text,
  status: z.enum(['IN_PROGRESS', 'COMPLETED', 'COMPLETED_WITH_ERRORS', 'CANCELLING', 'CANCELLED', 'FAILED']),
  ...{ clientToken: text.optional(), startedAt: text.optional(), processedItems: count, failedItems: count },
  ...{ processedBytes: count, totalBytes: count.optional(), putBytes: count.optional() },
  failure: z.strictObject({ code: text, message: text }).optional(),
});

/** An execution that goes on without this terminal. */
const left = line({ outcome: z.literal('left'), execution: text });
const migrated = line({
  outcome: z.enum(['done', 'incomplete', 'failed', 'interrupted']),
  results: z.array(
    z.strictObject({
      ...{ id: text, state: text, counts, units, dead: count, leftovers: count, leftoverKeys: texts },
      ...{ deadLetters: z.array(z.strictObject({ key: text, reason: text })), error: orNull(text) },
    }),
  ),
  ...{ notRun: texts, deadLetters: orNull(text) },
});
const provenByVerify = line({
  results: z.array(z.strictObject({ migration: text, state: text, leftovers: count, leftoverKeys: texts })),
});
const rolledBack = line({
  outcome: z.enum(['done', 'interrupted']),
  results: z.array(z.strictObject({ id: text, outcome: text, counts, units, keptKeys: texts, missing: count.optional() })),
});

/** The lines of each command beside those of every one; `result` is a line without an event. */
export const jsonLines: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  init: { result: line({ name: text, written: texts, kept: texts, ignored: yes, package: texts }) },
  up: {
    engine: event('engine', { engine: orNull(text), endpoint: text }),
    deleted: event('deleted', { tables: texts }),
    tables: event('tables', { total: count, created: count, indexes: count, notOffered: texts }),
    seeds: event('seeds', { sets: count, written: count }),
    migrations: event('migrations', { total: count, applied: z.array(z.strictObject({ id: text, state: text, counts })) }),
    cutover: event('cutover', { patterns: z.array(z.strictObject({ pattern: text, outcome: text })) }),
    patterns: event('patterns', {
      total: count,
      failed: count,
      patterns: z.array(
        z.strictObject({
          ...{ pattern: text, operation: text, index: orNull(text), items: count, units: count },
          ...{ error: orNull(text), empty: z.literal(true).optional() },
        }),
      ),
    }),
    ready: event('ready', { dynamodb: text, s3: text, region: text, console: text }),
    stopped: event('stopped'),
  },
  tables: { result: z.union([line({ tables: z.array(z.strictObject(table)) }), line(table)]) },
  patterns: {
    result: line({
      patterns: z.array(
        z.strictObject({
          ...{ pattern: text, operation: text, table: text, index: orNull(text), parameters: texts, description: text },
          example: z.record(text, text),
        }),
      ),
    }),
  },
  query: { done: event('done', { records: count, pages: count, units: count, way: z.enum(['query', 'scan']) }) },
  explain: {
    result: line({
      ...{ pattern: text, description: text, state: orNull(readState), way: z.enum(['query', 'scan']), operation: text },
      ...{ table: text, index: orNull(text), request: open({ TableName: text }), why: texts },
      expected: z.strictObject({ records: count, limited: yes, recordBytes: count, measured: yes, units: count }),
      scan: orNull(z.strictObject({ records: count, units: count })),
    }),
  },
  console: { console: event('console', { link: text, stack: text }), stopped: event('stopped') },
  'cutover status': {
    result: line({
      stack: text,
      patterns: z.array(
        open({
          ...{ pattern: text, state: readState, share: count, changedAt: text, changedBy: text, table: text },
          ...{ index: orNull(text), backfill: orNull(text), backfillState: orNull(text), shadow: orNull(open()) },
        }),
      ),
    }),
  },
  'cutover check': {
    result: line({ stack: text, proven: count, total: count, wrongNow: texts, reports: z.array(parity) }),
  },
  'cutover apply': {
    result: line({
      stack: text,
      refused: count,
      outcomes: z.array(
        z.strictObject({
          ...{ outcome: z.enum(['applied', 'already', 'refused']), pattern: text, report: parity.optional() },
          ...{ state: readState.optional(), reasons: texts.optional() },
        }),
      ),
    }),
  },
  'cutover revert': { result: moved },
  'cutover shadow': { result: moved },
  seed: {
    seeded: event('seeded', {
      sets: z.array(
        open({ set: text, outcome: text, written: count, units: count, deadLettered: count, elapsedMs: count.optional() }),
      ),
      deadLetters: count,
      deadLetterFile: text.optional(),
    }),
  },
  status: {
    result: line({
      migrations: z.array(
        z.strictObject({ id: text, phase: text.optional(), state: text, record: orNull(migrationRecord), file: yes }),
      ),
      ...{ lock: orNull(lease), paused: orNull(z.strictObject({ scope: text, by: text, at: text })), problems: texts },
      workers: orNull(
        z.strictObject({
          execution: text,
          pass: orNull(z.strictObject({ migration: text, step: text, pass, units: count, done: count, workers: count })),
        }),
      ),
    }),
  },
  plan: { ...migrating, result: plans },
  migrate: {
    ...migrating,
    result: z.union([plans, migrated, left]),
  },
  verify: { ...migrating, result: z.union([provenByVerify, left]) },
  rollback: { ...migrating, result: z.union([rolledBack, left]) },
  retry: {
    ...migrating,
    result: z.union([line({ migration: text, tried: count, dead: count, state: text, deadLetters: orNull(text) }), left]),
  },
  attach: { ...migrating, result: z.union([migrated, provenByVerify, rolledBack, left]) },
  stop: { result: line({ stopped: orNull(text) }) },
  repair: {
    ...migrating,
    result: line({
      damaged: z.array(z.strictObject({ key: text, record: text, problems: texts, means: text, outcome: text })),
      repaired: z.array(z.strictObject({ id: text, what: text })),
      ...{ strange: texts, left: texts },
    }),
  },
  history: {
    result: line({
      ...{ migration: text, state: orNull(migrationRecord) },
      events: z.array(
        z.strictObject({
          ...{ migration: text, sequence: count, at: text, kind: text, who: text, host: text, token: count, detail: text },
        }),
      ),
      dead: z.array(
        z.strictObject({
          ...{ migration: text, digest: text, step: count, key: stored, shownKey: text, table: text, reason: text, at: text },
        }),
      ),
    }),
  },
  report: { result: line({ migration: text, file: text }) },
  pause: { result: line({ paused: z.literal(true), runner: orNull(text) }) },
  resume: { result: line({ resumed: yes }) },
  unlock: { result: line({ lock: orNull(lock), broken: lock.optional() }) },
  'migration new': { result: line({ id: text, files: texts }) },
  'table new': { result: line(draft) },
  'table from-aws': {
    result: line({ ...draft, sample: z.strictObject({ items: count, complete: yes, units: count }) }),
  },
  export: {
    ...native,
    'export-started': event('export-started', { place: text, id: text, resumed: yes, segments: count }),
    'set-abandoned': event('set-abandoned', { place: text, startedAt: text }),
    'table-exported': event('table-exported', {
      ...{ table: text, items: count, already: yes, masked: z.record(text, count).optional() },
    }),
    exported: z.union([
      event('exported', {
        ...{ table: text, outcome: z.literal('complete'), id: text, place: text, items: count, read: count, files: count },
        ...{ bytes: count, units: count, elapsedMs: count, resumed: yes, masked: z.record(text, count).optional() },
      }),
      event('exported', { table: text, native: z.literal(true), place: text, arn: text, items: count.optional() }),
    ]),
    'exported-all': event('exported-all', { place: text, tables: z.array(open({ tableName: text, items: count })) }),
  },
  import: {
    ...native,
    'import-checked': event('import-checked', { files: count, items: count, bytes: count }),
    'import-resumed': event('import-resumed', { lines: count }),
    'table-made': event('table-made', { table: text }),
    'bulk-started': event('bulk-started', { arn: text, found: yes }),
    imported: z.union([
      event('imported', {
        ...{ table: text, outcome: text, already: yes, items: count, lines: count, written: count, skipped: count },
        ...{ deadLettered: count, resumedAt: count, elapsedMs: count, verified: verified.optional() },
        ...{ rejected: texts, deadLetters: orNull(text) },
      }),
      event('imported', {
        ...{ table: text, native: z.literal(true), arn: text, imported: count, errors: count, problems: texts },
        ...{ putBack: texts, differences: z.array(difference) },
      }),
      event('imported', {
        ...{ table: text, bulk: z.literal(true), outcome: z.literal('ended'), operation: bulkOperation, already: yes },
        ...{ rejected: count, reported: count, verified: orNull(verified) },
      }),
    ]),
    'imported-all': event('imported-all', { tables: texts, complete: yes }),
  },
  'mask plan': {
    'mask-plan': event('mask-plan', {
      ...{ table: text, records: count, rules: texts, refused: texts },
      attributes: z.array(
        z.strictObject({
          ...{ entity: text, attribute: text, rule: open().optional(), records: count, changed: count },
          ...{ examples: texts, freeText: yes },
        }),
      ),
    }),
  },
  refresh: {
    ...native,
    'refresh-left-out': event('refresh-left-out', { entities: texts }),
    'refresh-staged': event('refresh-staged', {
      table: text,
      pass: count,
      items: count,
      masked: z.record(text, count).optional(),
    }),
    'refresh-loaded': event('refresh-loaded', { table: text, pass: count, written: count }),
    refreshed: event('refreshed', {
      ...{ from: text, to: text, share: count, outcome: text, items: count, passes: count },
      ...{ dangling: z.record(text, count), deadLettered: count },
    }),
  },
  'subject show': { 'subject-record': subjectRecord, subject: event('subject', { records: count, mentions: count }) },
  'subject erase': {
    'subject-record': subjectRecord,
    'subject-found': event('subject-found', { records: count, mentions: count }),
    'subject-erased': event('subject-erased', subjectErased),
  },
  archive: {
    'archive-subject': event('archive-subject', { subject: text, outcome: text, results: count }),
    archived: event('archived', {
      ...{ place: text, outcome: text, results: count, days: texts },
      subjects: z.strictObject({ archived: count, unchanged: count, running: count, kept: count }),
    }),
  },
  'archive items': {
    'items-archived': event('items-archived', {
      ...{ table: text, unknown: count, outcome: text, place: text, items: count, removed: count, kept: count, late: count },
    }),
  },
  'backup create': { ...native, backup: event('backup', backup) },
  'backup list': { result: line({ backups: z.array(z.strictObject(backup)) }) },
  'backup delete': { 'backup-deleted': event('backup-deleted', backup) },
  restore: {
    ...native,
    restored: event('restored', { table: text, source: text, putBack: texts, differences: z.array(difference) }),
  },
  'pitr status': {
    result: line({
      tables: z.array(
        z.strictObject({
          ...{ table: text, enabled: yes, wanted: yes, recoveryDays: count.optional() },
          ...{ earliest: text.optional(), latest: text.optional() },
        }),
      ),
    }),
  },
  'audit scans': {
    result: line({
      ...{ files: count, scans: count, unreadable },
      findings: z.array(open({ rule: text, file: text, line: count, column: count, table: orNull(text), allowed: orNull(text) })),
    }),
  },
  'audit usage': {
    result: line({
      ...{ files: count, patterns: count, indexes: count, unreadable },
      unused: z.array(z.strictObject({ kind: text, table: text, name: text, reason: text })),
    }),
  },
  doctor: {
    result: line({
      ...{ stack: text, tables: count, differences: z.array(difference), notOffered: texts },
      hotKeys: z
        .array(
          z.strictObject({
            ...{ table: text, part: text, keys: count, exact: yes, largest: text.optional(), share: count },
            ...{ unitsPerSecond: count, sampled: count.optional() },
          }),
        )
        .optional(),
    }),
  },
  'check index': {
    result: line({
      ...{
        stack: text,
        table: text,
        index: text,
        key: texts,
        hash: texts,
        range: texts,
        records: count,
        held: count,
        lacking: z.record(text, count),
      },
      ...{ refused: count, units: count },
      violations: z.array(z.strictObject({ attributes: texts, fault: text, found: text, records: count, examples: texts })),
    }),
  },
  'advise indexes': {
    result: line({
      stack: text,
      indexes: z.array(
        z.strictObject({
          ...{ table: text, index: text, key: texts, hash: texts, range: texts },
          advice: open({ verdict: z.enum(['natural', 'could be natural', 'stays']) }),
          savings: open({
            ...{ sampled: count, looked: count, bytesPerItem: count, unitsPerItem: count, unitsPerMillion: count },
            ...{ lacking: count, lacked: texts },
          }).optional(),
          refused: count.optional(),
          sparse: z.strictObject({ sampled: count, more: count }).optional(),
        }),
      ),
    }),
  },
  adopt: {
    boot: event('boot'),
    result: line({
      ...{ stack: text, file: text.optional(), commands: texts.optional() },
      adoptions: z.array(
        z.strictObject({
          ...{ table: text, physical: text, outcome: text, changes: texts, refusals: texts, byHand: texts },
        }),
      ),
    }),
  },
  preview: {
    pulumi: event('pulumi'),
    result: line({
      ...{ stack: text, tables: texts, others: texts, losses: texts, cost: z.record(text, count), total: count },
    }),
  },
  'shape release': {
    result: line({
      ...{ files: texts, tables: count, stacks: texts },
      changes: z.strictObject({ added: texts, changed: texts, gone: texts }),
      waiting: z.array(z.strictObject({ table: text, ttl: text })),
    }),
  },
  completion: { result: line({ shell: text, script: text }) },
  bundle: { result: line({ file: text, bytes: count, files: texts }) },
};

/** What long work tells before its result. */
export const linesOnTheWay: readonly string[] = [...Object.keys(migrating), ...Object.keys(native)];

const shared: ReadonlySet<unknown> = new Set([...Object.values(migrating), ...Object.values(native)]);

/** What a line is called in the schema: what several commands tell has one definition. */
export function definitionOf(command: string, name: string): string {
  return shared.has(jsonLines[command]?.[name]) ? name : `${command}: ${name}`;
}

const refTo = (name: string) => ({ $ref: `#/$defs/${encodeURIComponent(name)}` });

/** Parts that have a definition of their own are named, not repeated. */
function withRefs(part: unknown, known: ReadonlyMap<string, string>): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const name = known.get(JSON.stringify(part));
  if (name !== undefined) return refTo(name);
  if (Array.isArray(part)) return part.map((one) => withRefs(one, known));
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withRefs(value, known)]));
}

/** Parts of lines with a definition of their own; those that others consist of come first. */
const named = {
  ...{ counts, units, difference, parity, slow, warming, partitions, listeners, 'plan of a step': stepPlan },
  ...{ 'migration record': migrationRecord, lease, 'bulk operation': bulkOperation },
};

/** The schema as it stands in docs/json.schema.json: a definition for each line, and one for all lines of a command. */
export function jsonSchema(): object {
  const definitions: Record<string, unknown> = {};
  const known = new Map<string, string>();
  const add = (name: string, schema: z.ZodType): { readonly $ref: string } => {
    if (name in definitions) return refTo(name);
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
    definitions[name] = withRefs(rest, known);
    known.set(JSON.stringify(rest), name);
    return refTo(name);
  };
  for (const [name, schema] of Object.entries(named)) add(name, schema);
  const common = Object.entries(commonLines).map(([name, schema]) => add(name, schema));
  for (const [command, own] of Object.entries(jsonLines)) {
    const refs = Object.entries(own).map(([name, schema]) => add(definitionOf(command, name), schema));
    definitions[command] = { anyOf: [...refs, ...common] };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The lines that tablewright prints with --json',
    anyOf: [...common, ...Object.keys(jsonLines).map((command) => refTo(command))],
    $defs: definitions,
  };
}
