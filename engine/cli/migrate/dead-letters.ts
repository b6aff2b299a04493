import { join, relative } from 'node:path';
import { makeFolder } from '../../local/make-folder.ts';
import { writeFile } from '../../local/write-file.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import type { MigrationResult } from '../../run/migrate/state-writer.ts';
import type { Context } from '../context.ts';
import { localDirectory } from '../open-stack.ts';
import type { MigrationCommand } from './open-migrations.ts';

export interface WrittenLetters {
  /** Its path from the project's root. */
  readonly file?: string;
  /** Why it could not be written: to be told after how the run ended. */
  readonly failure?: unknown;
}

/** Writes the dead letters that the ledger knows of a run's migration to a file of their own; none, no file. */
export async function writeDeadLetters(
  context: Context,
  command: MigrationCommand,
  result: Pick<MigrationResult, 'id' | 'dead'> | undefined,
): Promise<WrittenLetters> {
  if (result === undefined || result.dead === 0) return {};
  try {
    return { file: await writeLetters(context, command, result.id) };
  } catch (failure) {
    return { failure };
  }
}

async function writeLetters(context: Context, { environment, stack }: MigrationCommand, id: string): Promise<string> {
  const records = await new LedgerReader(environment).dead(id);
  const folder = join(localDirectory(context.root), 'dead-letters');
  const path = join(folder, `migration-${stack.name}-${id}.jsonl`);
  await makeFolder(folder);
  const lines = records.map(({ step, table, key, reason, at }) =>
    JSON.stringify({ migration: id, step, table, key, reason, at }),
  );
  await writeFile(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  return relative(context.root, path);
}
