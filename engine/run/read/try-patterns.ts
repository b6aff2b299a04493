import { TablewrightError } from '../../../tables/model/error.ts';
import { operationOf } from '../../../tables/model/prove.ts';
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
}

/** Runs every access pattern of the deployed tables with its example parameters. */
export async function* tryPatterns(environment: ReadEnvironment, signal?: AbortSignal): AsyncGenerator<PatternTrial> {
  for (const table of environment.tables) {
    for (const pattern of Object.values(table.patterns)) {
      signal?.throwIfAborted();
      const trial = { pattern: pattern.name, operation: operationOf(table, pattern), index: pattern.index ?? null };
      try {
        const { items, units } = await readAll(environment, pattern, pattern.example, { signal });
        yield { ...trial, items: items.length, units, error: items.length === 0 ? 'found nothing' : null };
      } catch (error) {
        if (!(error instanceof TablewrightError)) throw error;
        yield { ...trial, items: 0, units: 0, error: error.message };
      }
    }
  }
}
