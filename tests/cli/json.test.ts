import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { checkJsonLines } from '../support/check-json-lines.ts';
import { schemaText, withTable } from '../support/json-docs.ts';
import { commonLines, jsonLines, linesOnTheWay } from '../support/json-lines.ts';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';

describe('the JSON lines', () => {
  it('are described for every command', () => {
    const missing = commands.map(({ words }) => words).filter((words) => !(words in jsonLines));
    const advice = "describe the lines of these in tests/support/json-lines.ts, then run 'npm run json-schema'";
    expect(missing, advice).to.deep.equal([]);
    expect(Object.keys(jsonLines).filter((words) => !commands.some((spec) => spec.words === words))).to.deep.equal([]);
  });

  it('are all described: every event that a source of the command line names, and every one that migrations tell', async () => {
    const files = (await readdir(join(repository, 'engine/cli'), { recursive: true })).filter((file) => file.endsWith('.ts'));
    const sources = await Promise.all(files.map((file) => readFile(join(repository, 'engine/cli', file), 'utf8')));
    const named = sources.flatMap((source) => [...source.matchAll(/\bevent: '([\w-]+)'/g)].map(([, name = '']) => name));
    expect(named.length).to.be.above(40);
    const described = new Set([...Object.keys(commonLines), ...Object.values(jsonLines).flatMap((lines) => Object.keys(lines))]);
    const advice = "describe these in tests/support/json-lines.ts, then run 'npm run json-schema'";
    expect(
      [...new Set(named)].filter((name) => !described.has(name)),
      advice,
    ).to.deep.equal([]);
    // And nothing is described that nobody prints: names that are put together, and those of migrations, apart.
    const madeUp = ['result', 'error', ...linesOnTheWay, 'refresh-left-out', 'refresh-staged', 'refresh-loaded'];
    expect([...described].filter((name) => !named.includes(name) && !madeUp.includes(name))).to.deep.equal([]);
  });

  it('are in the docs as they are in the schema', async () => {
    const page = await readFile(join(repository, 'docs/json.md'), 'utf8');
    expect(await readFile(join(repository, 'docs/json.schema.json'), 'utf8'), "run 'npm run json-schema'").to.equal(schemaText());
    expect(page, "run 'npm run json-schema'").to.equal(withTable(page));
  });

  it('that do not fit the schema make a test fail', () => {
    const fits = '{"version":1,"resumed":true}\n';
    checkJsonLines(['resume', '--json'], fits, '');
    for (const wrong of [
      '{"resumed":true}',
      '{"version":1}',
      '{"version":1,"event":"unheard-of"}',
      'Resumed',
      '{"version":1,"resumed":true,"more":1}',
    ])
      expect(() => checkJsonLines(['resume', '--json'], `${wrong}\n`, ''), wrong).to.throw(Error);
  });

  const wrongUse: readonly (readonly string[])[] = [
    ['tabels'],
    [],
    ['cutover'],
    ['query'],
    ['status', '--colour'],
    ['plan', '--sample', 'none'],
    ['query', 'oms.trading.orderById', 'orderId', '--raw'],
    ['--nonsense', 'status'],
  ];

  for (const words of wrongUse) {
    it(`wrong use is one of them: tablewright ${words.join(' ')} --json`, async () => {
      const { code, stdout, stderr } = await runMain(repository, [...words, '--json']);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr.trim().split('\n')).to.have.length(1);
      expect(JSON.parse(stderr)).to.include({ version: 1 }).and.to.have.property('error');
    });
  }
});
