import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf, showKey } from '../../../tables/model/item.ts';
import { stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { keyNames } from '../../../tables/model/table.ts';
import { epochSecondsOf } from '../../../tables/model/time.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import type { StoppedStep } from '../../core/migrate/define-migration.ts';
import { projection } from '../../core/store/expression.ts';
import { scanPages } from '../store/read-pages.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { readContextOf } from './environment.ts';
import { type RunContext, stepOf } from './run-context.ts';

const lookSegments = 4;
const examplesKept = 5;
/** Records are counted in so many parts by their keys: one that goes hides one that comes only in its own. */
const watchedParts = 1_024;

interface Look {
  /** Records that have one of the attributes, by part. */
  readonly holding: readonly number[];
  /** Of these, made since they should not be. */
  readonly late: number;
  readonly examples: readonly string[];
}

/** What is kept between the two looks of a watch. */
interface Watch {
  readonly holding: readonly number[];
  readonly atMs: number;
}

/** Throws while somebody still writes the attributes. False when it was stopped first. */
export async function stoppedStep(run: RunContext, step: StoppedStep, at: number, known: unknown): Promise<boolean> {
  if (step.attributes.length === 0) return true;
  const { environment, stop } = run;
  await refuseUsed(run, step);
  const keep = (checkpoint: Watch | null) => run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { checkpoint })]);
  if ('createdAt' in step.proof) {
    refuseFuture(step.proof.since, environment.nowMs());
    const { late, examples } = await lookAt(run, step);
    if (stop.aborted) return false;
    if (late > 0) throw stillWritten(step, `${late} records were made with them since ${step.proof.since}`, examples);
    return true;
  }
  const before = isWatch(known) ? known : { holding: (await lookAt(run, step)).holding, atMs: environment.nowMs() };
  if (stop.aborted) return false;
  await keep(before);
  const restMs = before.atMs + step.proof.watchMs - environment.nowMs();
  if (restMs > 0) await untilStopped(environment.sleep(restMs, stop), stop);
  if (stop.aborted) return false;
  const after = await lookAt(run, step);
  if (stop.aborted) return false;
  // The next run begins with a look of its own: what came meanwhile is there to stay.
  await keep(null);
  const more = after.holding.reduce((sum, count, part) => sum + Math.max(0, count - (before.holding[part] ?? 0)), 0);
  if (more > 0)
    throw stillWritten(step, `${more} records have them that had not ${step.proof.watchMs / 1_000} s before`, after.examples);
  return true;
}

/** The catalogue may have lost an index that is still there, and readers of the release before with it. */
async function refuseUsed({ environment, stop }: RunContext, { table, attributes }: StoppedStep): Promise<void> {
  const tableName = physicalName(table, environment.config);
  const { indexes = [] } = (await environment.data.describeTable(tableName, stop)) ?? {};
  const used = indexes.flatMap(({ name, key }) => {
    const names = key.map(({ AttributeName }) => AttributeName).filter((one) => attributes.includes(one));
    return names.length === 0 ? [] : [`index ${name} stands on ${names.join(', ')}`];
  });
  if (used.length === 0) return;
  throw new TablewrightError('CHECK_FAILED', `${tableName}: ${attributes.join(', ')} cannot be removed, a key still uses them`, {
    problems: used,
    next: "Drop the index first, by a migration with 'dropIndex' before this one; nothing was removed.",
  });
}

/** Of records that are yet to be made nothing can be proven. */
function refuseFuture(since: string, nowMs: number): void {
  const seconds = epochSecondsOf(since);
  if (seconds !== undefined && seconds * 1_000 <= nowMs) return;
  throw new TablewrightError('CHECK_FAILED', `proof.since: expected a time that has passed, found ${since}`, {
    next: 'Give the time at which the last writer of the release before was replaced; nothing was removed.',
  });
}

function isWatch(known: unknown): known is Watch {
  return typeof known === 'object' && known !== null && 'holding' in known && Array.isArray(known.holding) && 'atMs' in known;
}

async function lookAt({ environment, stop }: RunContext, step: StoppedStep): Promise<Look> {
  const { table, entities, attributes, proof } = step;
  const timed = 'createdAt' in proof ? [proof.createdAt] : [];
  const names = [...new Set([...keyNames(table.key), ...attributes, ...timed])];
  const place = { TableName: physicalName(table, environment.config), TotalSegments: lookSegments, ...projection(names) };
  const holding = Array.from({ length: watchedParts }, () => 0);
  const late: string[] = [];
  let lateCount = 0;
  const visit = (item: Item): void => {
    const entity = entityOf(table, item);
    if (entity === undefined || !entities.includes(entity) || !attributes.some((name) => Object.hasOwn(item, name))) return;
    const part = Number.parseInt(environment.digest(keyIdentity(table.key, item)).slice(0, 8), 16) % watchedParts;
    holding[part] = (holding[part] ?? 0) + 1;
    if (!isLate(step, item)) return;
    lateCount += 1;
    if (late.length < examplesKept) late.push(showKey(table, item));
  };
  const read = async (Segment: number): Promise<void> => {
    for await (const page of scanPages(readContextOf(environment), { ...place, Segment, ConsistentRead: true }, stop)) {
      for (const item of page.items) visit(item);
    }
  };
  await Promise.all(Array.from({ length: lookSegments }, (_, segment) => read(segment)));
  return { holding, late: lateCount, examples: late };
}

/** A record without a time that can be read counts as made since: nothing says otherwise. */
function isLate({ proof }: StoppedStep, item: Item): boolean {
  if (!('createdAt' in proof)) return false;
  const made = epochSecondsOf(scalarText(attributeOf(item, proof.createdAt)) ?? '');
  const since = epochSecondsOf(proof.since);
  return made === undefined || since === undefined || made >= since;
}

function stillWritten({ table, attributes }: StoppedStep, what: string, examples: readonly string[]): TablewrightError {
  return new TablewrightError('CHECK_FAILED', `${table.name}: ${attributes.join(', ')} are still written: ${what}`, {
    problems: examples,
    next: "Replace every writer of the release before, then run 'tablewright migrate' again; nothing was removed.",
  });
}
