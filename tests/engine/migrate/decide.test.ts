import { expect } from 'chai';
import fc from 'fast-check';
import { fromJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { changeUnits } from '../../../engine/core/migrate/change-units.ts';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import { decideItem, type ItemDecision, type Update } from '../../../engine/core/migrate/decide-item.ts';
import { decideRollback } from '../../../engine/core/migrate/decide-rollback.ts';
import { decideRuns, ledgerProblems } from '../../../engine/core/migrate/decide-runs.ts';
import { backfill, custom, defineMigration, toWrite, waitForIndexes } from '../../../engine/core/migrate/define-migration.ts';
import { parseEntries, printEntries, undoOf } from '../../../engine/core/migrate/journal.ts';
import { lineChart, narrowChart, roundStep, timeStep, timeText, wideChart } from '../../../engine/core/migrate/line-chart.ts';
import { checkMigrationSet } from '../../../engine/core/migrate/migration-set.ts';
import { changeEntry, updateStatement } from '../../../engine/core/migrate/statement.ts';
import { maxStatementLength } from '../../../engine/core/write/batch-limits.ts';
import m3 from '../../../migrations/0003-index-oms-trading.ts';
import { omsTradingData } from '../../../tables/catalogue.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import type { MigrationState, StateRecord } from '../../../tables/model/ledger/migration-records.ts';
import { failureIn } from '../../support/failure-of.ts';
import { sourceOf } from '../../support/migrate-engine.ts';
import { tables as catalogue } from '../../support/project.ts';
import { indexColours, thing, thingOf, things } from '../../support/toy-table.ts';

const step = indexColours.steps[0];
const decide = (item: Item): ItemDecision => {
  if (step?.kind !== 'backfill') throw new Error('a backfill was expected');
  return decideItem(step, item, { nowSeconds: 1_000 });
};

describe('the decision on an item', () => {
  it('guards a change by all that was read and all that it touches, and keeps what it replaces', () => {
    expect(decide(thingOf(0, { old: { S: 'x' }, 'colour-key': { S: 'wrong' } }))).to.deep.equal({
      kind: 'change',
      changes: [
        {
          kind: 'update',
          key: { id: { S: 'thing-0000' } },
          set: { 'colour-key': { S: 'COLOUR#red' } },
          remove: ['old'],
          guard: { colour: { S: 'red' }, 'colour-key': { S: 'wrong' }, old: { S: 'x' } },
          before: { 'colour-key': { S: 'wrong' }, old: { S: 'x' } },
        },
      ],
    });
  });

  it('asks nothing of an item that is right', () => {
    expect(decide(thingOf(0, { 'colour-key': { S: 'COLOUR#red' } }))).to.deep.equal({ kind: 'right' });
  });

  it('shows the function only what it declared', () => {
    const seen: Item[] = [];
    const spy = backfill({
      name: 'spy',
      table: things,
      reads: ['a'],
      change: (item) => {
        seen.push(item);
        return undefined;
      },
    });
    decideItem(spy, thingOf(0, { a: { S: '1' }, b: { S: '2' } }), { nowSeconds: 0 });
    expect(seen).to.deep.equal([{ id: { S: 'thing-0000' }, a: { S: '1' } }]);
  });

  for (const [name, change, reason] of [
    ['a change of the primary key', { set: { id: { S: 'x' } } }, 'id: a part of the primary key cannot be changed'],
    ['an attribute that was not declared', { set: { z: { S: 'x' } } }, "z: not among the step's writes (colour-key)"],
    [
      'a value that is none',
      { set: { 'colour-key': 'red' as never } },
      "set: colour-key: expected a DynamoDB value such as { S: 'text' }, found a string",
    ],
    ['a number that is none', { set: { 'colour-key': { N: 'red' } } }, 'set: colour-key: N: not a decimal number'],
    ['an empty index key', { set: { 'colour-key': { S: '' } } }, 'colour-key: a key may not be empty'],
  ] as const) {
    it(`takes ${name} for poison`, () => {
      const bad = backfill({ name: 'bad', table: things, reads: [], writes: ['colour-key'], change: () => change });
      expect(decideItem(bad, thingOf(0), { nowSeconds: 0 })).to.deep.equal({ kind: 'poison', reason });
    });
  }

  it('passes over items of other entities', () => {
    expect(decideItem(m3.steps[1] as never, { PK: { S: 'X' }, SK: { S: 'Y' } }, { nowSeconds: 0 })).to.deep.equal({
      kind: 'foreign',
    });
  });
});

describe('values', () => {
  it('are the same as DynamoDB compares them', () => {
    expect(sameValue({ N: '1.0' }, { N: '1' })).to.equal(true);
    expect(sameValue({ SS: ['a', 'b'] }, { SS: ['b', 'a'] })).to.equal(true);
    expect(sameValue({ NS: ['1', '2.0'] }, { NS: ['2', '1'] })).to.equal(true);
    expect(sameValue({ B: new Uint8Array([1]) }, { B: new Uint8Array([1]) })).to.equal(true);
    expect(sameValue({ M: { a: { NULL: true } } }, { M: { a: { NULL: true } } })).to.equal(true);
    expect(sameValue({ S: '1' }, { N: '1' })).to.equal(false);
    expect(sameValue({ L: [{ S: 'a' }] }, { L: [{ S: 'a' }, { S: 'b' }] })).to.equal(false);
    expect(sameValue(undefined, { NULL: true })).to.equal(false);
  });

  it('survive the journal, and undo is the inverse of a change', () => {
    const value = fc.oneof(
      fc.string().map((S) => ({ S })),
      fc.integer().map((number) => ({ N: String(number) })),
      fc.uint8Array().map((B) => ({ B })),
    );
    const item = fc.dictionary(
      fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      value,
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(item, item, (before, set) => {
        const removed = Object.keys(before).filter((name) => !Object.hasOwn(set, name));
        const entry = { kind: 'update', key: { id: { S: 'k' } }, before, set, removed } as const;
        const [read] = parseEntries(printEntries([entry])) ?? [];
        expect(read).to.deep.equal({ ...entry, before: fromPlain(before), set: fromPlain(set) });
        const undo = undoOf(entry);
        const after = { ...set };
        const restored = Object.fromEntries(
          Object.entries({ ...after, ...undo.set }).filter(([name]) => !undo.remove.includes(name)),
        );
        expect(restored).to.deep.equal(before);
      }),
    );
  });
});

/** Own plain copies: fast-check makes dictionaries without a prototype. */
function fromPlain(item: Item): Item {
  return (
    fromJsonItem(
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          'B' in value ? { B: Buffer.from(value.B).toString('base64') } : value,
        ]),
      ),
    ) ?? {}
  );
}

describe('a statement', () => {
  const update: Omit<Update, 'kind' | 'before'> = {
    key: { PK: { S: 'p' }, SK: { S: 's' } },
    set: { 'GSI2-PK': { S: 'v' }, order: { N: '1' } },
    remove: ['old', 'older'],
    guard: { status: { S: 'Open' }, 'GSI2-PK': undefined },
  };

  it('has a SET or REMOVE for each name, as AWS wants it, names in quotes, and says what must still hold', () => {
    expect(updateStatement('the-table', update)).to.deep.equal({
      Statement:
        'UPDATE "the-table" SET "GSI2-PK"=? SET "order"=? REMOVE "old" REMOVE "older" WHERE "PK"=? AND "SK"=? AND "status"=? AND "GSI2-PK" IS MISSING',
      Parameters: [{ S: 'v' }, { N: '1' }, { S: 'p' }, { S: 's' }, { S: 'Open' }],
    });
  });

  it('gives way to an expression where a name looks like a path, a guard is NULL, or it grows too long', () => {
    expect(updateStatement('t', { ...update, set: { 'a.b': { S: '1' } } })).to.equal(undefined);
    expect(updateStatement('t', { ...update, guard: { x: { NULL: true } } })).to.equal(undefined);
    const long = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`${'n'.repeat(maxStatementLength / 40)}${at}`, { S: 'v' }]),
    );
    expect(updateStatement('t', { ...update, set: long })).to.equal(undefined);
    expect(changeEntry('t', { ...update, set: { 'a.b': { S: '1' } } })).to.deep.equal({
      Update: {
        TableName: 't',
        Key: update.key,
        UpdateExpression: 'SET #n0 = :v0 REMOVE #n1, #n2',
        ConditionExpression: 'attribute_exists(#n3) AND #n4 = :v1 AND attribute_not_exists(#n5)',
        ExpressionAttributeNames: { '#n0': 'a.b', '#n1': 'old', '#n2': 'older', '#n3': 'PK', '#n4': 'status', '#n5': 'GSI2-PK' },
        ExpressionAttributeValues: { ':v0': { S: '1' }, ':v1': { S: 'Open' } },
      },
    });
  });
});

describe('the cost of a change', () => {
  const change = (set: Item, remove: readonly string[], before: Item): Update => ({
    kind: 'update',
    key: { PK: { S: 'p' }, SK: { S: 's' } },
    set,
    remove,
    guard: {},
    before,
  });

  it('counts an index entry that comes, goes or stays once, and one that moves twice', () => {
    const none = omsTradingData;
    const key = { GSI3_PK: { S: 'a' }, GSI3_SK: { S: 'b' } };
    // GSI1 projects all and is written too; GSI2 holds keys only and is not.
    expect(changeUnits(none, change(key, [], {}), 0)).to.equal(1 + 1 + 1);
    expect(changeUnits(none, change(key, [], { GSI3_PK: { S: 'x' } }), 0)).to.equal(1 + 1 + 1);
    expect(changeUnits(none, change({ GSI3_PK: { S: 'a' } }, [], { GSI3_PK: { S: 'x' } }), 0)).to.equal(1 + 1 + 2);
    expect(changeUnits(none, change({}, ['GSI3_PK'], { GSI3_PK: { S: 'x' } }), 0)).to.equal(1 + 1 + 1);
    expect(changeUnits(none, change({ x: { S: 'y' } }, [], {}), 3_000)).to.equal(3 + 3 + 3);
  });
});

describe('the set of migrations', () => {
  const make = (id: string, needs: readonly string[] = []) =>
    sourceOf(
      defineMigration({
        id,
        description: id,
        needs: { migrations: needs },
        steps: [custom({ name: 'x', run: async () => undefined })],
      }),
    );

  it('is put in order', () => {
    const set = checkMigrationSet([make('0002-b-b'), make('0001-a-a')], catalogue);
    expect(set.map(({ migration }) => migration.id)).to.deep.equal(['0001-a-a', '0002-b-b']);
  });

  it('reports every missing and cyclic need, wrong name and number at once', () => {
    const error = failureIn(() =>
      checkMigrationSet(
        [
          make('0001-a-a', ['0009-not-there']),
          make('0002-b-b', ['0003-c-c']),
          make('0003-c-c', ['0002-b-b']),
          make('0003-d-d'),
          make('4-bad'),
          { ...make('0005-e-e'), file: '0005-f-f.ts' },
          sourceOf(defineMigration({ id: '0006-g-g', description: '', steps: [] })),
          sourceOf(defineMigration({ id: '0007-h-h', description: '', steps: [waitForIndexes(omsTradingData, 'GSI9')] })),
          sourceOf(
            defineMigration({
              id: '0008-i-i',
              description: '',
              steps: [backfill({ name: 's', table: omsTradingData, entities: [thing], reads: [], change: () => undefined })],
            }),
          ),
        ],
        catalogue,
      ),
    );
    expect(error.code).to.equal('BAD_MIGRATION');
    expect(error.problems).to.deep.equal([
      '0005-f-f.ts: expected the id 0005-f-f, found 0005-e-e',
      '4-bad.ts: expected a name like 0001-verb-noun.ts',
      '0003-d-d.ts: the number 0003 is taken by 0003-c-c.ts',
      '0001-a-a.ts: needs 0009-not-there, which is not in migrations/',
      '0002-b-b.ts: needs 0003-c-c, which comes after it; give it a lower number',
      '0002-b-b → 0003-c-c → 0002-b-b: each needs the other',
      '0006-g-g.ts: expected at least one step, found none',
      '0007-h-h.ts: oms_trading_data has no index GSI9; expected one of GSI1, GSI2, GSI3',
      '0008-i-i.ts: step s: THING is no entity of oms_trading_data',
    ]);
  });
});

describe('what a run does', () => {
  const [a, b, c] = ['0001-a-a', '0002-b-b', '0003-c-c'].map((id) =>
    sourceOf(defineMigration({ id, description: id, steps: [custom({ name: 'x', run: async () => undefined })] })),
  );
  const sources = [a, b, c].filter((source) => source !== undefined);
  const record = (id: string, state: MigrationState, checksum = 'checksum-1'): StateRecord => ({
    id,
    description: id,
    state,
    checksum,
    generation: 1,
    who: 'w',
    host: 'h',
    startedAt: '',
    updatedAt: '',
    token: 1,
    counts: noCounts,
    units: noUnits,
    dead: 0,
  });
  const kinds = (states: readonly StateRecord[], request = {}) =>
    decideRuns(sources, states, { accept: false, ...request }).runs.map(({ source, kind }) => `${source.migration.id} ${kind}`);

  it('is everything that is not verified, up to the one asked for', () => {
    expect(kinds([])).to.deep.equal(['0001-a-a fresh', '0002-b-b fresh', '0003-c-c fresh']);
    expect(kinds([record('0001-a-a', 'verified')], { to: '0002-b-b' })).to.deep.equal(['0002-b-b fresh']);
    expect(kinds([record('0001-a-a', 'applied')])).to.include('0001-a-a verify');
  });

  it('goes on with what was stopped or failed, from the start if its source was changed since or it was rolled back', () => {
    for (const state of ['running', 'interrupted', 'failed'] as const) {
      expect(kinds([record('0001-a-a', state)])[0]).to.equal('0001-a-a resume');
      expect(kinds([record('0001-a-a', state, 'another')])[0]).to.equal('0001-a-a over');
    }
    expect(kinds([record('0001-a-a', 'rolled-back')])[0]).to.equal('0001-a-a over');
  });

  it('looks for what is left over of an incomplete one, also when later ones are applied', () => {
    const later = record('0003-c-c', 'verified');
    for (const state of ['incomplete', 'running', 'interrupted', 'failed'] as const) {
      const how = state === 'incomplete' ? 'verify' : 'resume';
      expect(kinds([record('0001-a-a', 'verified'), record('0002-b-b', state), later])).to.deep.equal([`0002-b-b ${how}`]);
    }
    for (const state of ['rolled-back', 'forgotten'] as const) {
      const error = failureIn(() => kinds([record('0001-a-a', 'verified'), record('0002-b-b', state), later]));
      expect(error.problems).to.deep.equal([`0002-b-b: is ${state}, but 0003-c-c, which comes after it, is applied`]);
    }
  });

  it('goes on with one whose file came back as it was, and from the start with another source', () => {
    expect(kinds([record('0001-a-a', 'forgotten')])[0]).to.equal('0001-a-a resume');
    expect(kinds([record('0001-a-a', 'forgotten', 'another')])[0]).to.equal('0001-a-a over');
    expect(ledgerProblems(sources.slice(1), [record('0001-a-a', 'forgotten')])).to.deep.equal([]);
  });

  it('is refused, with its sentence, while a function of it is still to be written', () => {
    const skeleton = sourceOf(
      defineMigration({
        id: '0004-d-d',
        description: 'd',
        steps: [backfill({ name: 's', table: things, reads: [], change: toWrite('say what it sets') })],
      }),
    );
    const decide = (to?: string) => decideRuns([...sources, skeleton], [], { accept: true, to });
    const error = failureIn(() => decide());
    expect([error.code, error.problems]).to.deep.equal(['BAD_MIGRATION', ['0004-d-d.ts: say what it sets']]);
    expect(decide('0003-c-c').runs).to.have.length(3);
    expect(decideRuns([skeleton], [record('0004-d-d', 'verified')], { accept: true }).runs).to.deep.equal([]);
  });

  it('is refused with every contradiction named: changed source, missing file, gap', () => {
    const states = [record('0002-b-b', 'verified', 'another-checksum'), record('0000-z-z', 'verified')];
    const error = failureIn(() => kinds(states));
    expect(error.code).to.equal('LEDGER_MISMATCH');
    expect(error.problems).to.deep.equal([
      '0002-b-b: its source was changed after it was verified: expected checksum another-chec, found checksum-1',
      '0000-z-z: verified in the ledger, but its file is not in migrations/',
      '0001-a-a: was never run, but 0002-b-b, which comes after it, is applied',
    ]);
    expect(kinds(states, { accept: true })).to.deep.equal(['0001-a-a fresh', '0002-b-b verify', '0003-c-c fresh']);
    expect(decideRuns(sources, states, { accept: true }).accepted.map(({ migration }) => migration.id)).to.deep.equal([
      '0002-b-b',
    ]);
    expect(ledgerProblems(sources, [])).to.deep.equal([]);
  });

  it('is refused for a migration that is not there', () => {
    const error = failureIn(() => kinds([], { to: '0009-x-x' }));
    expect([error.code, error.message]).to.deep.equal(['UNKNOWN_NAME', 'there is no migration 0009-x-x']);
  });

  it('is undone newest first: the last one, all after one, or all', () => {
    const undoable = sources.map((source) => ({
      ...source,
      migration: { ...source.migration, steps: [custom({ name: 'x', run: async () => undefined, undo: async () => undefined })] },
    }));
    const states = sources.map(({ migration }) => record(migration.id, 'verified'));
    const undone = (to?: string) => decideRollback(undoable, states, to).map(({ source }) => source?.migration.id);
    expect(undone()).to.deep.equal(['0003-c-c']);
    expect(undone('0001-a-a')).to.deep.equal(['0003-c-c', '0002-b-b']);
    expect(undone('0')).to.deep.equal(['0003-c-c', '0002-b-b', '0001-a-a']);
  });
});

describe('a chart', () => {
  it('has ticks at round values, and times as people count them', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1e12, noNaN: true }), (value) => {
        const step = roundStep(value, 4);
        const digits = Number(step.toExponential().split('e')[0]);
        expect([1, 2, 5]).to.include(Math.round(digits * 1e6) / 1e6);
        expect(Math.ceil(value / step - 1e-6)).to.be.within(1, 4);
      }),
    );
    expect([7, 50, 95, 400, 4_000, 20_000].map((seconds) => timeStep(seconds, 4))).to.deep.equal([2, 15, 30, 120, 1_800, 7_200]);
    expect([0, 30, 60, 90, 600, 5_400, 7_200].map(timeText)).to.deep.equal([
      '0',
      '30 s',
      '1 min',
      '1 min 30 s',
      '10 min',
      '1 h 30 min',
      '2 h',
    ]);
  });

  it('fits the width that it is drawn for, with text of its own size', () => {
    const points = Array.from({ length: 90 }, (_, at) => [at, at * 31] as const);
    const chart = {
      title: 'Consumed write units',
      unit: 'WCU/s, index writes included',
      series: [{ name: 'consumed', color: '#000', points }],
      limit: { name: 'budget 3,000', value: 3_000 },
    };
    for (const size of [wideChart, narrowChart]) {
      const svg = lineChart(chart, size);
      const texts = [...svg.matchAll(/<text x="([\d.]+)"[^>]*class="(\w+)"([^>]*)>(.*?)<\/text>/g)];
      for (const [, x = '', , more = '', text = ''] of texts) {
        const width = text.replaceAll(/<[^>]+>/g, '').length * 6.5;
        const left = Number(x) - (more.includes('end') ? width : more.includes('middle') ? width / 2 : 0);
        expect(left, text).to.be.at.least(0);
        expect(left + width, text).to.be.at.most(size.width);
      }
      expect(svg).to.contain('>1,000<').and.to.contain('>30 s<');
    }
  });
});
