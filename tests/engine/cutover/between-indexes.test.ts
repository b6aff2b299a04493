import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { openReader } from '../../../engine/application.ts';
import { cursorSeal } from '../../../engine/cursor-seal.ts';
import { applyCutover } from '../../../engine/run/cutover/apply-cutover.ts';
import { readState } from '../../../engine/run/cutover/change-state.ts';
import { checkParity } from '../../../engine/run/cutover/check-parity.ts';
import type { CutoverEnvironment } from '../../../engine/run/cutover/environment.ts';
import { revertCutover, shadowCutover } from '../../../engine/run/cutover/move-state.ts';
import { cutoverStatus } from '../../../engine/run/cutover/status.ts';
import { buildItem } from '../../../tables/model/item.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { prove } from '../../../tables/model/prove.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { seededRandom } from '../../support/fault-proxy.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { after as afterwards, back, before as formerly, note, noteOf, notesTables, projectOf, there } from './moving-notes.ts';

const { ofTopic } = there.patterns;

describe('cut-over from one index to another', () => {
  const engine = useEngine(notesTables);
  const environment = (): CutoverEnvironment => ({ ...engine().environment, nowMs: Date.now, by: 'a test' });
  const place = { stack: testConfig.stack, region: testConfig.region };
  const open = () =>
    openReader(projectOf(there), { ...place, client: engine().client, refreshMs: 0, cursorSecret: 'a secret of the test' });
  const TableName = physicalName(there, testConfig);
  const change = (id: string, UpdateExpression: string, values: Readonly<Record<string, string>> = {}) =>
    engine().client.send(
      new UpdateItemCommand({
        TableName,
        Key: { id: { S: id } },
        UpdateExpression,
        ...(Object.keys(values).length === 0
          ? {}
          : {
              ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, text]) => [name, { S: text }])),
            }),
      }),
    );

  before(() =>
    engine().put(
      there,
      note,
      Array.from({ length: 60 }, (_, number) => noteOf(number)),
    ),
  );

  it('is proven for tables whose old and new Query are both legal', () => {
    expect(prove([formerly]).concat(prove([there]), prove([afterwards]), prove([back]))).to.deep.equal([]);
  });

  it('starts with readers on the index before, and proves parity from the records themselves', async () => {
    expect((await readState(environment(), ofTopic)).state).to.equal('scan');
    const reader = open();
    const reading = reader.read('notes.ofTopic', { topic: 'topic-1' });
    expect(await reading.all()).to.have.length(15);
    await reader.close();
    const report = await checkParity(environment(), ofTopic);
    expect(report).to.include({ outcome: 'holds', values: 4, records: 60, index: 'ByTopic' });
    // One Query on the index before, not a Scan.
    expect(report.cost.scan).to.be.below(3);
  });

  it('tells a record that the new index lacks, one that the old one lacks, and one under another key', async () => {
    await change('n0001', 'REMOVE topic');
    await change('n0002', 'REMOVE madePK');
    await change('n0003', 'SET topic = :t', { ':t': 'topic-0' });
    const { differences } = await checkParity(environment(), ofTopic);
    const shown = differences.map(({ kind, key, detail }) => `${kind} ${key} ${detail}`).toSorted();
    expect(shown.filter((line) => line.includes('n0001'))).to.deep.equal([
      'missing n0001 topic missing, and the catalogue’s rules give it none'.replace('’', "'"),
    ]);
    expect(shown.filter((line) => line.includes('n0002'))).to.deep.equal([
      'extra n0002 for the index before, ByMade: madePK missing',
    ]);
    expect(shown.filter((line) => line.includes('n0003'))).to.deep.equal([
      'extra n0003 for the index before, ByMade: madePK: expected TOPIC#topic-0, found TOPIC#topic-3',
      'missing n0003 for the index before, ByMade: madePK: expected TOPIC#topic-0, found TOPIC#topic-3',
    ]);
    expect((await applyCutover(environment(), ofTopic)).outcome).to.equal('refused');
    await engine().put(
      there,
      note,
      [1, 2, 3].map((number) => noteOf(number)),
    );
  });

  it('never takes a live writer for a difference', async () => {
    const random = seededRandom(5);
    let isDone = false;
    const writing = (async () => {
      for (let turn = 0; !isDone; turn += 1) {
        const number = Math.floor(random() * 60);
        await engine().put(there, note, [noteOf(number, `topic-${turn % 4}`)]);
      }
    })();
    try {
      for (let round = 0; round < 5; round += 1) {
        const { outcome, differences } = await checkParity(environment(), ofTopic);
        expect([outcome === 'differs', differences]).to.deep.equal([false, []]);
      }
    } finally {
      isDone = true;
      await writing;
    }
    await engine().put(
      there,
      note,
      Array.from({ length: 60 }, (_, number) => noteOf(number)),
    );
  });

  it('tries the new index beside reads of the old one in shadow, and records that they agree', async () => {
    await shadowCutover(environment(), ofTopic, 1);
    const reader = open();
    expect(await reader.read('notes.ofTopic', { topic: 'topic-2' }).all()).to.have.length(15);
    expect((await reader.page('notes.ofTopic', { topic: 'topic-2' }, { size: 4 })).records).to.have.length(4);
    // Whatever is compared is compared before the record changes.
    await reader.close();
    await change('n0006', 'REMOVE madePK');
    const again = open();
    expect(await again.read('notes.ofTopic', { topic: 'topic-2' }).all()).to.have.length(14);
    await again.close();
    await engine().put(there, note, [noteOf(6)]);
    const [found] = await cutoverStatus(environment());
    expect(found).to.include({ state: 'shadow', formerIndex: 'ByMade' });
    expect(found?.shadow).to.include({ reads: 3, differing: 1, failures: 0 });
  });

  it('goes on with a list in the index that it was begun in, and back only by a new list', async () => {
    const reader = open();
    const params = { topic: 'topic-0' };
    const page = (cursor?: string) =>
      reader.page('notes.ofTopic', params, { size: 4, ...(cursor === undefined ? {} : { cursor }) });
    const whole = (await reader.read('notes.ofTopic', params).all()).map(({ id }) => id);
    const first = await page();
    expect((await applyCutover(environment(), ofTopic)).outcome).to.equal('applied');
    const second = await page(first.cursor);
    const third = await page(second.cursor);
    expect([...first.records, ...second.records, ...third.records].map(({ id }) => id)).to.deep.equal(whole.slice(0, 12));
    const anew = await page();
    await revertCutover(environment(), ofTopic);
    const refused = await failureOf(page(anew.cursor));
    expect(refused.code).to.equal('BAD_CURSOR');
    expect(refused.message).to.contain('it was made while the pattern was read by Query; the pattern is in state scan now');
    expect((await page(first.cursor)).records.map(({ id }) => id)).to.deep.equal(whole.slice(4, 8));
    await reader.close();
    const released = openReader(projectOf(afterwards as unknown as typeof there), {
      ...place,
      client: engine().client,
      cursorSecret: 'a secret of the test',
    });
    const gone = await failureOf(released.page('notes.ofTopic', params, { size: 4, cursor: first.cursor ?? '' }));
    expect(gone.message).to.contain('it was made on index ByMade, which the pattern is no longer read by');
    const seal = cursorSeal('a secret of the test');
    const binding = { stack: testConfig.stack, pattern: 'notes.ofTopic', params, reverse: false };
    const { index: _, ...nameless } = seal.open(binding, first.cursor ?? '');
    const old = seal.seal(binding, nameless);
    const elsewhere = await failureOf(released.page('notes.ofTopic', params, { size: 4, cursor: old }));
    expect(elsewhere.message).to.contain('it was made on another index than ByTopic');
    await released.close();
  });

  it('counts a state for the index that it was proven for, and for no other', async () => {
    expect((await applyCutover(environment(), ofTopic)).outcome).to.equal('applied');
    expect((await readState(environment(), ofTopic)).state).to.equal('query');
    const backwards: Pattern = back.patterns.ofTopic;
    expect((await readState(environment(), backwards)).state).to.equal('scan');
    const reader = openReader(projectOf(back as unknown as typeof there), { ...place, client: engine().client });
    await change('n0004', 'REMOVE madePK');
    // By ByTopic, which was proven: ByMade would miss a record.
    expect(await reader.read('notes.ofTopic', { topic: 'topic-0' }).all()).to.have.length(15);
    await reader.close();
    const refused = await applyCutover(environment(), backwards);
    expect(refused).to.deep.include({ outcome: 'refused', reasons: ['its backfill 0009-fill is not run, expected verified'] });
  });

  it('goes back to an index only if that holds every record', async () => {
    const refused = await failureOf(revertCutover(environment(), ofTopic));
    expect([refused.code, refused.message]).to.deep.equal([
      'CHECK_FAILED',
      [
        'notes.ofTopic: index ByMade does not hold what readers get now',
        '  - n0004: for the index before, ByMade: madePK missing',
      ].join('\n'),
    ]);
    await engine().put(there, note, [noteOf(4)]);
    expect((await revertCutover(environment(), ofTopic)).changed).to.equal(true);
    const item = buildItem(there, note, noteOf(4));
    expect(item.madePK).to.deep.equal({ S: 'TOPIC#topic-0' });
  });
});
