import { expect } from 'chai';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import * as operations from '../../tables/operations.ts';
import { tables as catalogue } from '../support/project.ts';
import { operationCalls } from './operations.ts';
import { deleteTables, openServers, type Server } from './servers.ts';
import { steps } from './steps.ts';
import { config, copyConfig, openWorld, type World } from './world.ts';

/** Where two answers differ, with what each has there: a whole answer is too long to read. */
function differences(a: unknown, b: unknown, path = ''): readonly string[] {
  if (isBranch(a) && isBranch(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name) => differences(a[name], b[name], `${path}/${name}`));
  }
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left === right ? [] : [`${path}: ${left} | ${right}`];
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

describe('the toolkit gives the same answers on every server', function () {
  this.timeout(300_000);
  let servers: readonly Server[] = [];
  let worlds: readonly World[] = [];
  const answers = new Map<string, unknown>();

  before(async () => {
    servers = await openServers();
    const nowSeconds = Math.floor(Date.now() / 1_000);
    worlds = servers.map((server) => openWorld(server, nowSeconds));
  });

  after(async () => {
    await Promise.all(worlds.flatMap(({ stack, copy }) => [stack.close(), copy.close()]));
    const names = [config, copyConfig].flatMap((stack) => catalogue.map((table) => physicalName(table, stack)));
    for (const server of servers) await deleteTables(server, names);
    await Promise.all(servers.map((server) => server.close()));
  });

  for (const { name, run } of steps) {
    it(name, async () => {
      const [first, ...others] = await Promise.all(
        worlds.map(async (world) => ({ server: world.server.name, answer: await run(world) })),
      );
      answers.set(name, first?.answer);
      for (const { server, answer } of others) {
        expect(differences(first?.answer, answer).join('\n'), `${server} against ${first?.server}`).to.equal('');
      }
    });
  }

  it('and they are the right ones: nothing differs, is lost, or is left behind', () => {
    const answer = (name: string) => answers.get(name) as Record<string, unknown>;
    expect(answer('up: every table is as the catalogue says')).to.deep.equal([]);
    const again = answers.get('seeds again') as readonly { readonly written: number; readonly outcome: string }[];
    expect(again.map(({ written, outcome }) => [written, outcome])).to.deep.equal(again.map(() => [0, 'complete']));
    for (const found of Object.entries(answer('all patterns') as Record<string, readonly string[]>)) {
      expect(found[1], found[0]).not.to.have.length(0);
    }
    expect(answer('all migrations').outcome).to.equal('done');
    expect(answer('rollback').contents, 'a rollback puts every byte back').to.deep.equal(answer('seeds').contents);
    expect(answer('migrations after it').contents).to.deep.equal(answer('all migrations').contents);
    expect(answer('export and import').contents).to.deep.equal(answer('operations').contents);
    const outcomes = answer('operations').outcomes as readonly (readonly [string, { readonly outcome: string }])[];
    const tried = operationCalls(0).map(({ operation }) => operation.name);
    expect(new Set(tried)).to.deep.equal(new Set(Object.values(operations).map((operation) => operation.name)));
    for (const name of new Set(tried)) {
      expect(
        outcomes.some(([one, { outcome }]) => one === name && outcome === 'applied'),
        name,
      ).to.equal(true);
    }
  });
});
