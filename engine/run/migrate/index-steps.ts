import { TablewrightError } from '../../../tables/model/error.ts';
import { stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { isLegacyQuery } from '../../../tables/model/pattern.ts';
import { dropIndexCommand } from '../../../tables/model/stack/drop-index-command.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Index } from '../../../tables/model/table.ts';
import { initialState, stateFor } from '../../core/cutover/state-record.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import type { AddIndexStep, DropIndexStep } from '../../core/migrate/define-migration.ts';
import { addIndexRequest } from '../../core/tables/create-table.ts';
import { changeState } from '../cutover/change-state.ts';
import { loadStates } from '../cutover/read-states.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { checkIndex } from '../tables/check-index.ts';
import { awaitIndexes } from './await-indexes.ts';
import { cutoverOf } from './cutover-step.ts';
import { readContextOf } from './environment.ts';
import { type RunContext, stepOf } from './run-context.ts';

const dropPollMs = 500;

/** Kept in the step's record once the index is there and its records were looked at. */
const checked = 'checked';

/** Looks for records that the index would make unwritable, has it made, and waits for it. False when it was stopped first. */
export async function addIndexStep(run: RunContext, step: AddIndexStep, at: number, known: unknown): Promise<boolean> {
  const { environment, stop } = run;
  const { table } = step;
  const index = table.indexes.find(({ name }) => name === step.index);
  if (index === undefined) {
    say(run, step, `the catalogue no longer has ${step.index}; a later migration drops it`);
    return true;
  }
  await noteReaders(run, step);
  if (known !== checked) await refuseViolations(run, step, index);
  if (stop.aborted) return false;
  const tableName = physicalName(table, environment.config);
  const found = await environment.data.describeTable(tableName, stop);
  const isThere = found?.indexes.some(({ name }) => name === index.name) === true;
  if (!isThere && found !== undefined && environment.indexes !== undefined) {
    await environment.indexes.add(addIndexRequest(table, environment.config, index, found), stop);
    say(run, step, `${tableName}: ${index.name} is being made`);
  }
  // Found to be missing on a deployed stack, it is looked for again when it was made: records may have come meanwhile.
  if (isThere) await run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { checkpoint: checked })]);
  const wait = step.maxWaitMs === undefined ? {} : { maxWaitMs: step.maxWaitMs };
  return awaitIndexes(run, { name: step.name, table, indexes: [index.name], ...wait });
}

/**
 * A pattern that readers have on another index is known to the ledger from here on, moved or not: the release that drops the other one
 * no longer says that it was there.
 */
async function noteReaders(run: RunContext, { table, index }: AddIndexStep): Promise<void> {
  const environment = cutoverOf(run);
  const states = await loadStates(environment, { signal: run.stop });
  const unknown = Object.values(table.patterns).filter(
    (pattern) => pattern.index === index && isLegacyQuery(pattern.legacy) && !states.has(pattern.name),
  );
  // Whoever changes a state meanwhile makes it known as well.
  for (const { name } of unknown) await changeState(environment, initialState(name), { state: 'scan', index }, run.stop);
}

/** DynamoDB would take the index and refuse every later write of these records. */
async function refuseViolations(run: RunContext, step: AddIndexStep, index: Index): Promise<void> {
  const { environment, stop } = run;
  const tableName = physicalName(step.table, environment.config);
  const found = await checkIndex(readContextOf(environment), { table: step.table, tableName, index }, () => undefined, stop);
  const left = found.records - found.held - found.refused;
  say(run, step, `${tableName}: ${index.name} holds ${found.held} of ${found.records} records, ${left} lack a key attribute`);
  if (found.refused === 0) return;
  throw new TablewrightError('CHECK_FAILED', `${tableName}: index ${index.name} makes ${found.refused} records unwritable`, {
    problems: found.violations.map(
      (one) => `${one.attributes.join(', ')}: ${one.found}, ${one.records} records, such as ${one.examples.join('; ')}`,
    ),
    next: `Repair them by a migration before this one; 'tablewright check index ${step.table.name} ${index.name}' lists them.`,
  });
}

/** Sees that nothing is read by the index any more and that it is gone. False when it was stopped first. */
export async function dropIndexStep(run: RunContext, step: DropIndexStep, at: number): Promise<boolean> {
  const { environment, stop } = run;
  if (isBack(step)) {
    say(run, step, `the catalogue has ${step.index} again; it stays`);
    return true;
  }
  if ((await leftToDrop(run, step)) === 0) return true;
  await refuseReaders(run, step);
  const tableName = physicalName(step.table, environment.config);
  if (environment.indexes === undefined) throw stillThere(run, step, tableName);
  // Known before it is done: from here a rollback would find no index to go back to.
  await run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { checkpoint: 'dropped' })]);
  await environment.indexes.drop(tableName, step.index, stop);
  while (!stop.aborted) {
    if ((await leftToDrop(run, step)) === 0) return true;
    await untilStopped(environment.sleep(dropPollMs, stop), stop);
  }
  return false;
}

/** 1 while the index is there. */
export async function leftToDrop({ environment, stop }: RunContext, step: DropIndexStep): Promise<number> {
  if (isBack(step)) return 0;
  const found = await environment.data.describeTable(physicalName(step.table, environment.config), stop);
  return found?.indexes.some(({ name }) => name === step.index) === true ? 1 : 0;
}

const isBack = ({ table, index }: DropIndexStep): boolean => table.indexes.some(({ name }) => name === index);

/** What the ledger says of the table's patterns counts for applications of the release before, which still know the index. */
async function refuseReaders(run: RunContext, { table, index }: DropIndexStep): Promise<void> {
  const states = await loadStates(cutoverOf(run), { signal: run.stop });
  const open = Object.values(table.patterns).flatMap((pattern) => {
    const record = states.get(pattern.name);
    if (record === undefined || stateFor(pattern, record).state === 'query') return [];
    return [`${pattern.name}: in state ${record.state}${record.index === undefined ? '' : ` of index ${record.index}`}`];
  });
  if (open.length === 0) return;
  throw new TablewrightError('CHECK_FAILED', `${table.name}: index ${index} cannot go, patterns may still be read by it`, {
    problems: open,
    next: "Cut them over with the release that has both indexes ('tablewright cutover apply'), then run 'tablewright migrate' again.",
  });
}

function stillThere({ environment }: RunContext, { table, index }: DropIndexStep, tableName: string): TablewrightError {
  const { stack, region } = environment.config;
  const drop = table.indexes.length === 0 ? dropIndexCommand({ table: tableName, index, region }) : `npx pulumi up -s ${stack}`;
  return new TablewrightError('CHECK_FAILED', `${tableName} still has index ${index}, which the catalogue no longer has`, {
    problems: [
      `tables/allowed-changes.json: name the change ${table.name}/index/${index}, with the reason`,
      drop,
      'tablewright migrate',
    ],
    next: 'Run these in this order. From then on the way back is a backfill and a new index; before it, a rollback.',
  });
}

function say({ environment, id }: RunContext, { name }: { readonly name: string }, message: string): void {
  environment.emit({ kind: 'message', migration: id, step: name, message });
}
