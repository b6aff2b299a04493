import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { WaitForIndexStep } from '../../core/migrate/define-migration.ts';
import { untilStopped } from '../store/until-stopped.ts';
import type { RunContext } from './run-context.ts';

export const defaultIndexWaitMs = 6 * 60 * 60 * 1_000;
const indexPollMs = 2_000;

/** False when it was stopped first. An index that the catalogue lost is dropped by a later migration, and not waited for. */
export async function awaitIndexes(
  run: RunContext,
  step: Pick<WaitForIndexStep, 'name' | 'table' | 'indexes' | 'maxWaitMs'>,
  startedMs = run.environment.nowMs(),
): Promise<boolean> {
  const { environment, stop } = run;
  const name = physicalName(step.table, environment.config);
  const maxWaitMs = step.maxWaitMs ?? defaultIndexWaitMs;
  const wanted = step.indexes.filter((index) => step.table.indexes.some((known) => known.name === index));
  while (!stop.aborted) {
    const found = await environment.data.describeTable(name, stop);
    const waiting = wanted.filter((index) => found?.indexes.find((known) => known.name === index)?.status !== 'ACTIVE');
    if (waiting.length === 0) return true;
    const missing = waiting.filter((index) => !found?.indexes.some((known) => known.name === index));
    if (missing.length > 0 || environment.nowMs() - startedMs > maxWaitMs)
      throw notActive(environment.config.stack, name, waiting, missing, maxWaitMs);
    const message = `${name}: ${(await withProgress(run, name, waiting)).join(', ')} not ACTIVE yet`;
    environment.emit({ kind: 'message', migration: run.id, step: step.name, message });
    await run.elsewhere?.wait(run, message);
    await untilStopped(environment.sleep(indexPollMs, stop), stop);
  }
  return false;
}

/** Each with how far it is, where CloudWatch says. */
function withProgress({ environment, stop }: RunContext, table: string, indexes: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    indexes.map(async (index) => {
      const done = await environment.indexProgress?.(table, index, stop);
      return done === undefined ? index : `${index} (${Math.floor(done)} % built)`;
    }),
  );
}

function notActive(
  stack: string,
  name: string,
  waiting: readonly string[],
  missing: readonly string[],
  maxWaitMs: number,
): TablewrightError {
  if (missing.length > 0) {
    return new TablewrightError('INDEX_MISSING', `${name} has no index ${missing.join(', ')}`, {
      next: `Make it with 'npx pulumi up -s ${stack}', then run 'tablewright migrate' again; it goes on here.`,
    });
  }
  return new TablewrightError('STORE_FAILED', `${name}: ${waiting.join(', ')} not ACTIVE after ${maxWaitMs / 60_000} minutes`, {
    next: "Run 'tablewright migrate' again when the index is built; it goes on here.",
  });
}
