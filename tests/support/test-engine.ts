import { readAll } from '../../engine/run/read/read-pattern.ts';
import { startBed, type TestBed } from '../../engine/testing/test-bed.ts';
import { plainItem } from '../../tables/model/attribute-value.ts';
import type { Operation } from '../../tables/model/operation.ts';
import type { Pattern, PatternParams } from '../../tables/model/pattern.ts';
import { parseStackConfig, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { testEngine } from './open-engine.ts';
import { wholeCatalogue as catalogue } from './project.ts';

type AnyParams = Readonly<Record<string, unknown>>;

/** A stack of its own on an embedded engine in memory, for one test file. Patterns give items as they are stored, index attributes too. */
export interface TestEngine extends Omit<TestBed, 'read' | 'run'> {
  read(pattern: Pattern, params: AnyParams): Promise<readonly AnyParams[]>;
  run<Params extends PatternParams>(operation: Operation<Params>, params: AnyParams): ReturnType<TestBed['run']>;
}

export const testConfig: StackConfig = parseStackConfig('test', {}, catalogue);

export async function startEngine(tables: readonly Table[] = catalogue, config: StackConfig = testConfig): Promise<TestEngine> {
  const bed = await startBed({ tables, config, engine: testEngine });
  return {
    ...bed,
    read: async (pattern, params) => (await readAll(bed.environment, pattern, params)).items.map(plainItem),
    run: (operation, params) => bed.run(operation, params as never),
  };
}

/** Starts an engine before the tests of a suite and stops it after them, whatever they do. */
export function useEngine(tables?: readonly Table[]): () => TestEngine {
  let engine: TestEngine | undefined;
  before(async () => {
    engine = await startEngine(tables);
  });
  after(async () => {
    await engine?.close();
  });
  return () => {
    if (engine === undefined) throw new Error('the engine is used before the suite has started');
    return engine;
  };
}
