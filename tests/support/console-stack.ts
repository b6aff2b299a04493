import { type ChildProcess, spawn } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { activeCoins } from '../../tables/catalogue.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { tables } from './project.ts';
import { projectFolder } from './project-folder.ts';
import { repository } from './run-cli.ts';
import { runMain } from './run-main.ts';
import { startEngine, type TestEngine } from './test-engine.ts';

/** A migration that takes a while: it gives every coin a mark. */
const markCoins = `import { backfill, defineMigration } from '../engine/author.ts';
import { activeCoins } from '../tables/catalogue.ts';
import { coin } from '../tables/backtest/active-coins.ts';

export default defineMigration({
  id: '0090-mark-coins',
  description: 'Every coin gets a mark',
  steps: [
    backfill({
      name: 'marks',
      table: activeCoins,
      entities: [coin],
      reads: ['consecutive_scans'],
      writes: ['mark'],
      change: () => ({ set: { mark: { S: 'marked' } } }),
    }),
  ],
});
`;

export interface ConsoleStack {
  readonly root: string;
  readonly engine: TestEngine;
  readonly args: readonly string[];
  /** A command in this process. */
  run(...words: readonly string[]): ReturnType<typeof runMain>;
  /** A command as a process of its own. */
  start(...words: readonly string[]): ChildProcess;
  close(): Promise<void>;
}

const coinOf = (number: number): Item => ({
  symbol: { S: `COIN${String(number).padStart(6, '0')}` },
  is_active: { BOOL: number % 2 === 0 },
  last_scan_id: { S: 'scan_1' },
  last_updated: { N: '1763112000' },
  consecutive_scans: { N: String(number) },
});

/** The local stack as `up` leaves it, on an engine of its own, with so many coins and a migration that is pending. */
export async function startConsoleStack(coins: number): Promise<ConsoleStack> {
  const dev = await readFile(join(repository, 'Pulumi.dev.yaml'), 'utf8');
  const folder = await projectFolder({ dev });
  const { root } = folder;
  const engine = await startEngine(tables, parseStackConfig('dev', {}, tables));
  const args = ['--endpoint', engine.endpoint];
  const children = new Set<ChildProcess>();
  const stack: ConsoleStack = {
    ...{ root, engine, args },
    run: (...words) => runMain(root, [...words, ...args]),
    start: (...words) => {
      const bin = join(root, 'engine/cli/bin.js');
      const child = spawn(process.execPath, [bin, ...words, ...args], { cwd: root, stdio: 'ignore' });
      children.add(child);
      child.on('exit', () => children.delete(child));
      return child;
    },
    close: async () => {
      for (const child of children) child.kill('SIGKILL');
      await engine.close();
      await folder.remove();
    },
  };
  try {
    // Its own migrations: those of the repository now, and one more behind `up`, which would run it.
    await rm(join(root, 'migrations'));
    await cp(join(repository, 'migrations'), join(root, 'migrations'), { recursive: true });
    const { code, stdout, stderr } = await stack.run('up');
    if (code !== 0) throw new Error(stdout + stderr);
    await engine.putRaw(
      activeCoins,
      Array.from({ length: coins }, (_, at) => coinOf(at)),
    );
    await writeFile(join(root, 'migrations/0090-mark-coins.ts'), markCoins);
    return stack;
  } catch (error) {
    await stack.close();
    throw error;
  }
}
