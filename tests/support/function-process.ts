import { backfill, custom, defineMigration } from '../../engine/core/migrate/define-migration.ts';
import type { RunnerTask } from '../../tables/model/runner/order.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { invokeHere } from './drive-execution.ts';
import { migrateEnvironment, sourceOf } from './migrate-engine.ts';
import { copyReds, indexColours, thing, things, toyTables } from './toy-table.ts';

/** Writes one item over and over until it is there; a run of it that is killed does no harm. */
const note = defineMigration({
  id: '0003-note',
  description: 'Custom code that writes',
  steps: [
    custom({
      name: 'note',
      run: async ({ client, nameOf, save }) => {
        await client.put({ TableName: nameOf(things), Item: { id: 'note', colour: 'none' } });
        await save({ noted: true });
      },
      undo: async ({ client, nameOf }) => void (await client.delete({ TableName: nameOf(things), Key: { id: 'note' } })),
    }),
  ],
});

/** Fails on some items until somebody cures them. */
const pick = defineMigration({
  id: '0004-pick',
  description: 'Some items cannot be changed',
  steps: [
    backfill({
      name: 'picked',
      table: things,
      entities: [thing],
      reads: ['colour', 'ill'],
      writes: ['picked'],
      change: (item) => {
        if (item.ill !== undefined) throw new Error('ill');
        return { set: { picked: item.colour ?? { S: '' } } };
      },
    }),
  ],
});

export const killedMigrations = [indexColours, copyReds, note, pick];
export const killedSources = killedMigrations.map((migration) => sourceOf(migration));

/** What an invocation of the function has, in whichever process. */
export function functionEnvironment(endpoint: string) {
  const tuning = { segments: 2, pageItems: 10, heartbeatMs: 100 };
  return migrateEnvironment({ endpoint, config: parseStackConfig('test', {}, toyTables) }, { tables: toyTables, tuning });
}

const [, , endpoint] = process.argv;
const { send } = process;

/** As a process of its own: one invocation after the other, until it is killed. */
if (send !== undefined && endpoint !== undefined && process.argv[1]?.endsWith('function-process.ts') === true) {
  const tell = send.bind(process);
  const invoke = invokeHere({ sources: killedSources, environment: () => functionEnvironment(endpoint) });
  process.on('message', (task: RunnerTask) => {
    invoke(task).then(
      (answer) => tell({ answer: answer ?? {} }),
      (error: Error) => tell({ error: `${error.message}\n${error.stack}`, code: (error as { code?: string }).code }),
    );
  });
  tell({ ready: true });
}
