import { TablewrightError } from '../../../tables/model/error.ts';
import { itemBytes } from '../../core/item/item-size.ts';
import type { CheckedCall } from '../../core/read/checked-call.ts';
import { type Explanation, explainRead, type TableFigures } from '../../core/read/explain-read.ts';
import { planRead } from '../../core/read/plan-read.ts';
import type { ReadOptions } from '../../core/read/read-options.ts';
import { readState } from '../cutover/change-state.ts';
import { scanPage } from '../store/read-pages.ts';
import type { ReadEnvironment } from './read-pattern.ts';

const sampleRecords = 20;

/** What a read would send and cost, and why it is a Scan or none; asks the stack for what it needs, and does without. */
export async function explainPattern(
  read: ReadEnvironment,
  call: CheckedCall,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<Explanation> {
  const { pattern } = call;
  const asked = planRead(call, read.names, options);
  // Both at once: a server that does not answer is waited for once.
  const [state, figures] = await Promise.all([
    pattern.legacy === undefined ? undefined : known(async () => (await readState(read, pattern, signal)).state),
    known(() => figuresOf(read, asked.request.TableName, signal)),
  ]);
  const plan = options.state === undefined && state !== undefined ? planRead(call, read.names, { ...options, state }) : asked;
  return explainRead(plan, { state, figures });
}

/** Undefined where the stack cannot be asked, for an explanation needs no access. */
async function known<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TablewrightError) return undefined;
    throw error;
  }
}

/** Number and size of the records. */
async function figuresOf(read: ReadEnvironment, TableName: string, signal: AbortSignal): Promise<TableFigures | undefined> {
  const found = await read.store.describeTable(TableName, signal);
  if (found === undefined || found.itemCount === 0) return undefined;
  const { itemCount: records, bytes } = found;
  return { records, bytes: bytes > 0 ? bytes : await sampledBytes(read, TableName, records, signal) };
}

/** The embedded engine counts records but not bytes: a few records tell. */
export async function sampledBytes(
  read: ReadEnvironment,
  TableName: string,
  records: number,
  signal: AbortSignal,
): Promise<number> {
  const { items } = await scanPage(read, { TableName, Limit: sampleRecords }, signal);
  const sampled = items.reduce((sum, item) => sum + itemBytes(item), 0);
  return Math.ceil((sampled / Math.max(1, items.length)) * records);
}
