import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { leaveOut } from '../support/left-out.ts';
import { repository } from '../support/run-cli.ts';
import { differs, enginesPage, type Found, writeVariable } from './engines-page.ts';
import { itemProbes } from './item-probes.ts';
import { openBed, probeTables } from './probe-bed.ts';
import { deleteTables, openServers, type Server } from './servers.ts';
import { statementProbes } from './statement-probes.ts';
import { tableProbes } from './table-probes.ts';

const probes = [...statementProbes, ...itemProbes, ...tableProbes];
const page = join(repository, 'docs/engines.md');

/** With one there is nothing to compare. */
function needTwo(test: Mocha.Context, found: readonly unknown[]): void {
  if (found.length < 2) leaveOut(test, 'this machine runs one engine only, so there is nothing to compare it with');
}

describe('servers that speak DynamoDB’s protocol', function () {
  this.timeout(180_000);
  let servers: readonly Server[] = [];
  let found: readonly Found[] = [];

  before(async () => {
    servers = await openServers();
    const answers = await Promise.all(servers.map(answersOf));
    found = probes.map((probe, at) => ({
      probe,
      answers: Object.fromEntries(servers.map(({ name }, server) => [name, answers[server]?.[at] ?? ''])),
    }));
  });

  after(async () => {
    for (const server of servers) await deleteTables(server, Object.values(probeTables));
    await Promise.all(servers.map((server) => server.close()));
  });

  async function answersOf(server: Server): Promise<readonly string[]> {
    await deleteTables(server, Object.values(probeTables));
    const bed = await openBed(server);
    const answers: string[] = [];
    for (const { ask } of probes) answers.push(await ask(bed));
    bed.close();
    return answers;
  }

  it('answer every question', () => {
    for (const { probe, answers } of found)
      for (const answer of Object.values(answers)) expect(answer, probe.name).not.to.equal('');
  });

  it('differ in nothing that the toolkit has no answer to', function () {
    needTwo(this, servers);
    const unjudged = found.filter((one) => differs(one) && one.probe.toolkit === undefined);
    expect(unjudged.map(({ probe, answers }) => `${probe.name}: ${JSON.stringify(answers)}`)).to.deep.equal([]);
  });

  it('docs/engines.md says where the engines of this machine differ', async function () {
    const engines = servers.filter(({ name }) => name === 'dynoxide' || name === 'dynamodb-local').map(({ name }) => name);
    // The page stays as the other machine made it.
    needTwo(this, engines);
    const own = found.map(({ probe, answers }) => ({
      probe,
      answers: Object.fromEntries(engines.map((name) => [name, answers[name] ?? ''])),
    }));
    const text = enginesPage(own);
    if (process.env[writeVariable] !== undefined) await writeFile(page, text);
    expect(await readFile(page, 'utf8').catch(() => ''), "run 'npm run conformance -- --write'").to.equal(text);
  });
});
