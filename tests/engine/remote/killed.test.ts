import { expect } from 'chai';
import { seededRandom } from '../../../engine/core/seed/random.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Order, RunnerTask } from '../../../tables/model/runner/order.ts';
import { driveExecution, invokeHere } from '../../support/drive-execution.ts';
import { FunctionPool, Killed } from '../../support/function-pool.ts';
import { functionEnvironment, killedMigrations, killedSources } from '../../support/function-process.ts';
import { contentOf, ledgerOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, resetToys, someThings, thingOf, things, toyTables } from '../../support/toy-table.ts';

const ill = [200, 201, 202].map((at) => thingOf(at, { ill: { S: 'yes' } }));
const items: readonly Item[] = [...someThings(120), ...ill];
const request = { accept: false, acceptGaps: false, includeExpired: false };
const last = killedMigrations.at(-1)?.id ?? '';

describe('workers that are killed with SIGKILL', function () {
  // Some hundred invocations, and a process to start for each that is killed.
  this.timeout(600_000);
  const engine = useEngine(toyTables);
  const environment = () => functionEnvironment(engine().endpoint);
  const here = () => invokeHere({ sources: killedSources, environment });

  /** Data, counts and journal: what one process leaves, too. */
  const outcome = async () => {
    const reader = ledgerOf(environment());
    const states = (await reader.states()).map(({ id, state, counts, dead }) => {
      // How many of its own new items a scan meets is a matter of their order.
      const comparable = id === copyReds.id ? { changed: counts.changed } : counts;
      return { id, state, dead, counts: comparable };
    });
    const entries: Record<string, number> = {};
    for (const { id } of states) {
      for (const { migration, generation, step, segments } of await reader.steps(id)) {
        for (let segment = 0; segment <= segments; segment += 1) {
          for await (const part of reader.parts({ migration, generation, step, segment })) {
            entries[id] = (entries[id] ?? 0) + ('count' in part ? part.count : 0) - (part.skipped?.length ?? 0);
          }
        }
      }
    }
    return { data: await contentOf(engine(), things), states, entries };
  };

  /** Everything, one command after the other; what is left after each. */
  const wholeWay = async (name: string, invoke: (task: RunnerTask) => Promise<unknown>) => {
    await resetToys(engine(), items);
    const drive = (command: Order['command'], more: Partial<Order['request']> = {}) =>
      driveExecution({
        ...{ sources: killedSources, environment, name: `${name}-${command}-${more.id ?? more.to ?? ''}` },
        ...{
          order: { command, request: { ...request, ...more }, workers: 2 },
          invoke,
          again: (error) => error instanceof Killed,
        },
      });
    const migrated = await drive('migrate');
    expect(migrated.answer, JSON.stringify(migrated.answer)).to.include({ kind: 'failed', error: 'INCOMPLETE' });
    const up = await outcome();
    // Two of the three are cured.
    await engine().putRaw(things, [thingOf(200), thingOf(201)]);
    await drive('retry', { id: last });
    const retried = await outcome();
    await engine().putRaw(things, [thingOf(202)]);
    await drive('verify', { id: last });
    const verified = await outcome();
    const rolledBack = await drive('rollback', { to: '0' });
    expect(rolledBack.answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    return { up, retried, verified, down: await outcome() };
  };

  it('at random, and invoked twice at once, leave what undisturbed ones leave: data, journal, counts, and all of it undone', async () => {
    const undisturbed = await wholeWay('calm', here());
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed, 0);
    await using pool = new FunctionPool(engine().endpoint);
    let doubled = 0;
    const disturbed = await wholeWay('killed', async (task) => {
      // The second answer is nobody's: the machine has lost sight of that invocation, which may come late.
      if (task.task === 'unit' && random.chance(120)) {
        doubled += 1;
        void here()(task).catch(() => undefined);
      }
      return pool.invoke(task, random.chance(100) ? random.below(200) : undefined);
    });
    expect(pool.killed, 'killed').to.be.above(3);
    expect(doubled, 'doubled').to.be.above(3);
    expect(disturbed, `seed ${seed}`).to.deep.equal(undisturbed);
    expect(undisturbed.down.entries).to.deep.equal({});
  });
});
