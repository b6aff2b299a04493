import { expect } from 'chai';
import * as fc from 'fast-check';
import { liveAnswer } from '../../engine/console/live-feed.ts';
import { asAws, asCommand, asTypeScript } from '../../engine/console/view/copy-as.ts';
import { explainItem } from '../../engine/console/view/explain-item.ts';
import { modelMap } from '../../engine/console/view/model-map.ts';
import { maxFields, segmentStrip } from '../../engine/console/view/segment-strip.ts';
import { groupDigits, showSpan, showValue } from '../../engine/core/show/show-value.ts';
import type { LiveStatus } from '../../engine/run/migrate/read-live.ts';
import { marketOrders } from '../../tables/catalogue.ts';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { buildItem } from '../../tables/model/item.ts';
import { defineTable } from '../../tables/model/table.ts';
import { tables } from '../support/project.ts';

describe('what the console shows', () => {
  it('of a number: every digit, grouped', () => {
    expect(groupDigits('99123456789.012345678901234567890123456')).to.equal('99,123,456,789.012345678901234567890123456');
    expect(groupDigits('-1234')).to.equal('-1,234');
    expect(groupDigits('1E+99')).to.equal('1E+99');
    const digits = fc.stringMatching(/^-?[1-9]\d{0,37}(\.\d{1,20})?$/);
    fc.assert(fc.property(digits, (number) => groupDigits(number).replaceAll(',', '') === number));
  });

  it('of times, sets, maps and bytes: a form that people read', () => {
    expect(showValue({ N: '1763112000' }, { time: 'epoch' }, 1_763_112_000_000 - 7_200_000)).to.equal(
      '2025-11-14 09:20:00 (in 2 hours)',
    );
    expect(showValue({ N: '1763112000' }, { time: 'epoch' }, 1_763_112_000_000 + 86_400_000)).to.equal(
      '2025-11-14 09:20:00 (1 day ago)',
    );
    expect(showValue({ S: '2025-11-14T10:30:00.250Z' }, { time: 'iso' })).to.equal('2025-11-14 10:30:00.250');
    expect(showValue({ M: { a: { N: '1000' }, b: { L: [{ S: 'x' }, { BOOL: true }] } } })).to.equal('{ a: 1,000, b: [x, yes] }');
    expect(showValue({ NS: ['1000', '2'] })).to.equal('1,000, 2');
    expect(['AAAA', 'AAA=', 'AA==', ''].map((B) => showValue({ B }))).to.deep.equal(['3 bytes', '2 bytes', '1 byte', '0 bytes']);
    expect(showValue(null)).to.equal('–');
  });

  it('of the time that records are kept: the largest unit that is exact', () => {
    expect([7_776_000, 90_000, 5_400, 86_401, 1].map(showSpan)).to.deep.equal([
      ...['90 days', '25 hours', '90 minutes', '86,401 seconds', '1 second'],
    ]);
  });

  const segment = (at: number, scanned: number, done = false) => ({ segment: at, done, counts: { scanned } });

  it('of segments: a field for each, filled by its share of the table and full only at its end', () => {
    const found = [segment(0, 100, true), segment(1, 25), segment(3, 500)];
    expect(segmentStrip(found, { segments: 4, expected: 200 })).to.deep.equal({
      ...{ segments: 4, done: 1 },
      fields: [
        { first: 0, last: 0, scanned: 100, share: 1 },
        { first: 1, last: 1, scanned: 25, share: 0.5 },
        { first: 2, last: 2, scanned: 0, share: 0 },
        { first: 3, last: 3, scanned: 500, share: 0.97 },
      ],
    });
  });

  it('of more segments than a screen has fields: all of them, neighbours in one', () => {
    const found = Array.from({ length: 1_001 }, (_, at) => segment(at, 10, at % 2 === 0));
    const { segments, done, fields } = segmentStrip(found, { segments: 1_001, expected: 0 });
    expect([segments, done, fields.length <= maxFields, fields.at(-1)?.last]).to.deep.equal([1_001, 501, true, 1_000]);
    expect(fields.reduce((sum, { scanned }) => sum + scanned, 0)).to.equal(10_010);
    expect(fields[0]?.share).to.be.closeTo(0.5, 0.1);
  });

  it('of a run: who holds the lock by its name, and the last dead letters with their reasons', () => {
    const dead = Array.from({ length: 7 }, (_, at) => ({
      ...{ migration: 'm', digest: String(at), step: 0, key: {}, table: 't', shownKey: `k${at}`, reason: `r${at}` },
      at: `2026-11-18T00:00:0${at}.000Z`,
    }));
    const lock = { holder: 'arn:aws:states:eu-west-1:1:execution:runner:migrate-1', doing: 'migrate', token: 3 };
    const status = {
      ...{ migrations: [], lock, paused: null, problems: [] },
      run: { migration: 'm', live: null, segments: [], dead, workers: 2 },
    } as unknown as LiveStatus;
    const { lock: shown, run } = liveAnswer(status, 5);
    expect([shown?.holder, run?.workers, run?.dead]).to.deep.equal(['the execution migrate-1', 2, 7]);
    expect(run?.latestDead.map(({ shownKey, reason }) => `${shownKey} ${reason}`)).to.deep.equal([
      ...['k6 r6', 'k5 r5', 'k4 r4', 'k3 r3', 'k2 r2'],
    ]);
  });

  const thing = defineEntity({
    name: 'THING',
    description: 'x',
    attributes: { id: text(), colour: text().optional() },
    constants: { entity_type: 'THING' },
    derive: [{ set: { PK: 'THING#{id}', SK: 'THING' } }, { set: { GSI1: 'COLOUR#{colour}' } }],
  });
  const twin = defineEntity({
    name: 'TWIN',
    description: 'x',
    attributes: { id: text() },
    derive: [{ set: { PK: 'THING#{id}', SK: 'THING' } }],
  });
  const other = defineEntity({
    name: 'OTHER',
    description: 'x',
    attributes: { id: text() },
    derive: [{ set: { PK: 'OTHER#{id}', SK: 'THING', GSI1: 'COLOUR#{id}' } }],
  });
  const table = defineTable({
    ...{ name: 'things', system: 'toys', namespace: 'toys', description: 'x', hash: 'PK', range: 'SK' },
    indexes: { ByColour: { hash: 'GSI1' } },
    entities: [thing, twin, other],
  });

  it('of an item: each attribute with its part and its rule, and what the rule gives where the item is behind', () => {
    const item = { ...buildItem(table, thing, { id: '1', colour: 'red' }), GSI1: { S: 'COLOUR#blue' }, extra: { N: '1' } };
    const found = explainItem(table, item).attributes.map(({ name, role, rule, due, indexes }) => [
      name,
      role,
      rule,
      due,
      indexes,
    ]);
    expect(found).to.deep.equal([
      ['PK', 'key', 'THING#{id}', null, []],
      ['SK', 'key', 'THING', null, []],
      ['id', 'given', null, null, []],
      ['colour', 'given', null, null, []],
      ['entity_type', 'constant', null, null, []],
      ['GSI1', 'index key', 'COLOUR#{colour}', { S: 'COLOUR#red' }, ['ByColour']],
      ['extra', 'other', null, null, []],
    ]);
  });

  it('of an item: in the order of keys, indexes and the entity, whatever order it was stored in', () => {
    const stored = buildItem(table, thing, { id: '1', colour: 'red' });
    const turned = Object.fromEntries(Object.entries(stored).toReversed());
    expect(explainItem(table, turned)).to.deep.equal(explainItem(table, stored));
    expect(explainItem(table, turned).attributes.map(({ name }) => name)).to.deep.equal([
      ...['PK', 'SK', 'id', 'colour', 'entity_type', 'GSI1'],
    ]);
  });

  it('of a model: where each entity lies, and which keys cannot be told apart', () => {
    const { columns, rows } = modelMap(table);
    expect(columns).to.deep.equal([
      { index: null, hash: ['PK'], range: ['SK'] },
      { index: 'ByColour', hash: ['GSI1'], range: [] },
    ]);
    expect(
      rows.map(({ entity, cells }) => [
        entity,
        ...cells.map(({ places, shared }) => [places.flatMap(({ hash }) => hash), shared]),
      ]),
    ).to.deep.equal([
      ['THING', [['THING#{id}'], ['TWIN']], [['COLOUR#{colour}'], ['OTHER']]],
      ['TWIN', [['THING#{id}'], ['THING']], [[], []]],
      ['OTHER', [['OTHER#{id}'], []], [['COLOUR#{id}'], ['THING']]],
    ]);
  });

  it('of a model with an index on several attributes: all of them, each entity by its own', () => {
    const placed = defineEntity({
      name: 'PLACED',
      description: 'x',
      attributes: { id: text(), a: text(), b: text(), c: text() },
    });
    const tuples = defineTable({
      ...{ name: 'tuples', system: 'toys', namespace: 'tuples', description: 'x', hash: 'id' },
      indexes: { ByPlace: { hash: ['a', 'b'], range: ['c'] } },
      entities: [placed],
    });
    const { columns, rows } = modelMap(tuples);
    expect(columns[1]).to.deep.equal({ index: 'ByPlace', hash: ['a', 'b'], range: ['c'] });
    expect(rows[0]?.cells[1]?.places.map(({ hash, range }) => [hash, range])).to.deep.equal([[['{a}', '{b}'], ['{c}']]]);
  });

  it('of this catalogue: no primary keys that collide', () => {
    const colliding = tables.flatMap((one) =>
      modelMap(one)
        .rows.filter(({ cells }) => (cells[0]?.shared.length ?? 0) > 0)
        .map(({ entity }) => `${one.name} ${entity}`),
    );
    expect(colliding).to.deep.equal([]);
    expect(modelMap(marketOrders).patterns.map(({ index }) => index)).to.include('orders_by_market_buy');
  });

  it('to take away: a command, a request of the AWS command line and a program', () => {
    const stack = {
      name: 'local',
      configured: 'dev',
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:8000',
      engine: 'dynoxide',
      local: true,
    };
    const call = { pattern: 'a.b', params: { id: "it's", n: '5' }, limit: 3, reverse: true, consistent: false };
    expect(asCommand(call, stack)).to.equal(`npx tablewright query a.b 'id=it'\\''s' n=5 --limit 3 --reverse`);
    expect(asCommand(call, { ...stack, local: false, name: 'dev' })).to.match(/ --stack dev$/);
    // A server that the console was pointed to is found by nobody who is not told.
    expect(asCommand(call, { ...stack, engine: null })).to.match(/ --endpoint http:\/\/127\.0\.0\.1:8000$/);
    expect(
      asAws(
        'Query',
        { TableName: 't-dev', IndexName: 'i', ScanIndexForward: false, ExpressionAttributeValues: { ':a': { S: "it's" } } },
        stack,
      ),
    ).to.equal(
      [
        'aws dynamodb query',
        '--table-name t-dev',
        '--index-name i',
        '--no-scan-index-forward',
        `--expression-attribute-values '{":a":{"S":"it'\\''s"}}'`,
        '--region us-east-1',
        '--endpoint-url http://127.0.0.1:8000',
      ].join(' \\\n  '),
    );
    expect(asTypeScript(call, stack)).to.contain(`openReader(project, { stack: 'dev', region: 'us-east-1'`);
    expect(asTypeScript({ ...call, params: { raw: '/wE=' }, bytes: ['raw'] }, stack)).to.contain(
      `reader.read('a.b', { raw: Buffer.from('/wE=', 'base64') }, `,
    );
    expect(asTypeScript(call, stack)).to.contain(`reader.read('a.b', { id: 'it\\'s', n: '5' }, { limit: 3, reverse: true })`);
  });
});
