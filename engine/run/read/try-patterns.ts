import { TablewrightError } from '../../../tables/model/error.ts';
import { operationOf } from '../../../tables/model/prove.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { typedParams } from '../../core/read/typed-params.ts';
import { scanPage } from '../store/read-pages.ts';
import { type ReadEnvironment, readAll } from './read-pattern.ts';

/** How one access pattern did with its example parameters. */
export interface PatternTrial {
  readonly pattern: string;
  readonly operation: string;
  readonly index: string | null;
  readonly items: number;
  /** Consumed read units. */
  readonly units: number;
  readonly error: string | null;
  /** It found nothing because its table has no records yet, which is no failure. */
  readonly empty?: true;
}

/** Runs every access pattern of the deployed tables with its example parameters. */
export async function* tryPatterns(environment: ReadEnvironment, signal?: AbortSignal): AsyncGenerator<PatternTrial> {
  for (const table of environment.tables) {
    for (const pattern of Object.values(table.patterns)) {
      signal?.throwIfAborted();
      const trial = { pattern: pattern.name, operation: operationOf(table, pattern), index: pattern.index ?? null };
      try {
        const { items, units } = await readAll(environment, pattern, typedParams(pattern, pattern.example), { signal });
        const empty = items.length === 0 && (await isEmpty(environment, table, signal));
        const found = { ...trial, items: items.length, units };
        if (empty) yield { ...found, error: null, empty };
        else yield { ...found, error: items.length === 0 ? 'found nothing' : null };
      } catch (error) {
        if (!(error instanceof TablewrightError)) throw error;
        yield { ...trial, items: 0, units: 0, error: error.message };
      }
    }
  }
}

/** One look at one item: a page that has none and is the last. */
async function isEmpty(environment: ReadEnvironment, table: Table, signal: AbortSignal | undefined): Promise<boolean> {
  const request = { TableName: physicalName(table, environment.names), Limit: 1 };
  const { items, next } = await scanPage(environment, request, signal);
  return items.length === 0 && next === undefined;
}
