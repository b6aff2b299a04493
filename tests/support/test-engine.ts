import { startBed, type TestBed } from '../../engine/testing/test-bed.ts';
import { parseStackConfig, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { testEngine } from './open-engine.ts';
import { tables as catalogue } from './project.ts';

/** A stack of its own on an embedded engine in memory, for one test file. */
export type TestEngine = TestBed;

export const testConfig: StackConfig = parseStackConfig('test', {}, catalogue);

export function startEngine(tables: readonly Table[] = catalogue, config: StackConfig = testConfig): Promise<TestEngine> {
  return startBed({ tables, config, engine: testEngine });
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
