import { expect } from 'chai';
import fc from 'fast-check';
import { toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import {
  inspectRecord,
  ledgerEntityOf,
  ledgerItem,
  ledgerKey,
  ledgerRange,
  readLedgerRecord,
  readLedgerRecords,
} from '../../../engine/core/ledger/ledger-codec.ts';
import { shownLedgerKey } from '../../../engine/core/ledger/ledger-errors.ts';
import { put, setMembers } from '../../../engine/core/ledger/ledger-write.ts';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import { type AttributeValue, type Item, typeOf } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { chunkRecord, headRecord, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import { ledgerEntities } from '../../../tables/model/ledger/ledger.ts';
import type { LedgerEntity } from '../../../tables/model/ledger/ledger-entity.ts';
import { claimRecord, stopRecord } from '../../../tables/model/ledger/lock-records.ts';
import {
  executionRecord,
  liveRecord,
  segmentRecord,
  stateRecord,
  stepRecord,
  unitRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { bulkImportRecord, erasureRecord, exportSegmentRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { anyValue } from '../../support/any-item.ts';
import { failureIn } from '../../support/failure-of.ts';
import { oldLedger, oldRecord } from '../../support/old-ledger.ts';

const execution = {
  migration: '0001-a-b',
  generation: 1,
  step: 0,
  pass: 'apply',
  executionArn: 'arn:aws:states:eu-west-1:123456789012:execution:m:x',
  startedAt: '2026-01-01T00:00:00Z',
  token: 3,
} as const;

const writer = { migration: '0001-a-b', step: 0, segment: 3, generation: 1, token: 7, attempt: 2 };
const part = { ...writer, sequence: 5, table: 'things', entries: new Uint8Array([1]), count: 4, before: 40, skipped: [2] };
const extent = { parts: 6, entries: 44 };
const head = { ...writer, ...extent, left: { parts: 2, entries: 9 }, after: { token: 6, attempt: 0, ...extent } };

const live = {
  ...{ migration: '0001-a-b', token: 12, at: '2026-01-01T00:00:00Z', pass: 'apply' as const, step: 'copy', table: 'things' },
  ...{ elapsedMs: 1_000, counts: noCounts, expected: 40, itemsPerSecond: 20, unitsPerSecond: noUnits, budget: noUnits },
  ...{ throttles: 0, segments: 8, segmentsDone: 0 },
};

/** One of each kind and more: what version 0.1.0 wrote, what came later, and the one that nothing writes yet. */
const items: readonly Item[] = [
  ...oldLedger,
  ledgerItem(executionRecord, execution),
  ledgerItem(partRecord, part),
  ledgerItem(headRecord, head),
  ledgerItem(exportSegmentRecord, { table: 'things', export: '0179-ab', segment: 3, progress: '{}' }),
  ledgerItem(erasureRecord, {
    ...{ at: '2026-01-01T00:00:00Z', id: 'ab', state: 'complete', by: 'me', removed: { 'things/THING': 2 }, left: 0 },
    updatedAt: '2026-01-01T00:00:00Z',
  }),
  ledgerItem(bulkImportRecord, {
    ...{ table: 'things', identity: 'ab', source: 's3://b/x', options: '{}', state: 'staged', version: 1 },
    ...{ clientToken: 'token', bucket: 'b', prefix: 'bulk/ab/', rejected: 0, updatedAt: '2026-01-01T00:00:00Z' },
  }),
  ledgerItem(liveRecord, live),
  ledgerItem(stopRecord, { scope: 'migrate', token: 5, by: 'ana', at: '2026-01-01T00:00:00Z' }),
  ledgerItem(claimRecord, { migration: '0001-x', step: 0, segment: 3, token: 5, attempt: 2, by: 'worker', over: true }),
  ledgerItem(unitRecord, {
    ...{ migration: '0001-x', generation: 1, step: 0, segment: 3, segments: 8, pass: 'rollback', spread: true, done: false },
    ...{ counts: noCounts, units: noUnits, chunks: 0, leftovers: [], token: 5 },
    found: { gaps: [{ what: 'part 2 is missing', items: 4 }], tables: ['things'], former: false, entries: 12 },
  }),
];

const entityOf = (item: Item): LedgerEntity => ledgerEntityOf(item) ?? expect.fail(`no kind for ${shownLedgerKey(item)}`);

describe('the records of the ledger', () => {
  it('have examples of every kind here', () => {
    expect(new Set(items.map((item) => entityOf(item).name))).to.deep.equal(new Set(ledgerEntities.map(({ name }) => name)));
  });

  it('of the time before versions are read, and written again as they were, with the version', () => {
    for (const item of oldLedger) {
      const entity = entityOf(item);
      const record = readLedgerRecord(entity, item);
      expect(toJsonItem(ledgerItem(entity, record)), shownLedgerKey(item)).to.deep.equal({
        ...toJsonItem(item),
        format: { N: String(entity.format) },
      });
    }
  });

  it('go there and back whole, whatever their kind', () => {
    for (const item of items) {
      const entity = entityOf(item);
      const record = readLedgerRecord(entity, item);
      expect(readLedgerRecord(entity, ledgerItem(entity, record)), shownLedgerKey(item)).to.deep.equal(record);
    }
  });

  it('keep any checkpoint of custom code, and any bytes of the journal', () => {
    const place = { migration: 'm', generation: 2, step: 1 };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.uint8Array(), (value, bytes) => {
        // JSON has -0 and exponents that a stored number spells otherwise.
        const checkpoint: unknown = JSON.parse(JSON.stringify(value, (_, part) => (Object.is(part, -0) ? 0 : part)));
        const step = { ...place, name: 's', kind: 'custom', segments: 0, done: false, checkpoint };
        expect(readLedgerRecord(stepRecord, ledgerItem(stepRecord, step))).to.deep.equal(step);
        const chunk = { ...place, segment: 4, token: 5, sequence: 6, entries: new Uint8Array(bytes), skipped: [1, 2] };
        expect(readLedgerRecord(chunkRecord, ledgerItem(chunkRecord, chunk))).to.deep.equal(chunk);
      }),
    );
  });

  it('have keys that sort by number and that their range begins with', () => {
    const key = ledgerKey(segmentRecord, { migration: 'm', generation: 12, step: 3, pass: 'apply', segment: 45 });
    expect(key).to.deep.equal({ PK: { S: 'MIGRATION#m' }, SK: { S: 'SEGMENT#0012#003#apply#00045' } });
    expect(ledgerRange(segmentRecord, { migration: 'm' })).to.deep.equal({ partition: 'MIGRATION#m', prefix: 'SEGMENT#' });
    expect(ledgerRange(segmentRecord, { migration: 'm', generation: 12 }).prefix).to.equal('SEGMENT#0012#');
    expect(ledgerRange(stateRecord, {})).to.deep.equal({ partition: 'MIGRATIONS', prefix: '' });
    fc.assert(
      fc.property(fc.nat(9_999), fc.nat(9_999), (one, other) => {
        const sortKey = (generation: number) => {
          const { SK } = ledgerKey(stepRecord, { migration: 'm', generation, step: 0 });
          return SK !== undefined && 'S' in SK ? SK.S : '';
        };
        expect(sortKey(one) < sortKey(other)).to.equal(one < other);
      }),
    );
  });

  it('are written member by member only as their schema has them', () => {
    const write = setMembers(stepRecord, { migration: 'm', generation: 1, step: 0 }, { done: true, checkpoint: undefined });
    expect(write).to.deep.include({ kind: 'set', attributes: { done: { BOOL: true } }, removed: ['checkpoint'] });
    expect(() => put(stepRecord, { migration: 'm' } as never))
      .to.throw(TablewrightError)
      .with.property('code', 'BAD_ITEM');
  });
});

describe('a damaged record of the ledger', () => {
  it('is an error that names its key, what is wrong and what to do', () => {
    const { checksum: _, ...item } = oldRecord('MIGRATIONS', '0002');
    const error = failureIn(() => readLedgerRecord(stateRecord, { ...item, state: { S: 'finished' }, token: { S: '1' } }));
    expect([error.code, error.exitCode]).to.deep.equal(['LEDGER_DAMAGED', 1]);
    expect(error.message.split('\n')).to.deep.equal([
      "the ledger's record MIGRATIONS / 0002-copy-reds is damaged",
      '  - MIGRATIONS / 0002-copy-reds: token: expected type N, found S',
    ]);
    expect(error.next).to.equal(
      "Run 'tablewright repair': it rebuilds such a record from others where it can, drops it where it cannot, and says what that means.",
    );
    expect(failureIn(() => readLedgerRecord(stateRecord, { ...item, state: { S: 'finished' } })).problems).to.deep.equal([
      'MIGRATIONS / 0002-copy-reds: state: expected one of running, interrupted, failed, incomplete, applied, verified, rolling-back, rolled-back, forgotten',
      'MIGRATIONS / 0002-copy-reds: checksum: missing',
    ]);
  });

  it('is told together with all others that were read with it', () => {
    const states = oldLedger.filter(({ PK }) => PK !== undefined && 'S' in PK && PK.S === 'MIGRATIONS');
    const error = failureIn(() =>
      readLedgerRecords(
        stateRecord,
        states.map(({ who: _, ...item }) => item),
      ),
    );
    expect(error.message).to.match(/^5 records of the ledger are damaged\n/);
    expect(error.problems).to.have.length(5);
  });

  const attributesOf = (item: Item) => Object.keys(item).filter((name) => name !== 'PK' && name !== 'SK');

  /** Damaged and named, or the very record: an attribute that is optional, or that the key says as well. */
  function neverWrong(original: Item, damaged: Item, what: string): void {
    const entity = entityOf(original);
    const sound = readLedgerRecord(entity, original) as Readonly<Record<string, unknown>>;
    const reading = inspectRecord(entity, damaged);
    expect(reading.kind, what).not.to.equal('newer');
    if (reading.kind === 'sound') {
      // Nothing but a member that may be missing is gone; nothing else is read as something other than it was.
      const record = reading.record as Readonly<Record<string, unknown>>;
      for (const [name, value] of Object.entries(record)) expect(value, `${what}: ${name}`).to.deep.equal(sound[name]);
      return;
    }
    const error = failureIn(() => readLedgerRecord(entity, damaged));
    expect(error.code, what).to.equal('LEDGER_DAMAGED');
    expect(error.message, what).to.contain(shownLedgerKey(original));
  }

  it('is found out when an attribute is gone, of every kind', () => {
    for (const item of items) {
      for (const name of attributesOf(item)) {
        const { [name]: _, ...rest } = item;
        neverWrong(item, rest, `${shownLedgerKey(item)} without ${name}`);
      }
    }
  });

  it('is found out when an attribute is of another type, of every kind', () => {
    const places = items.flatMap((item) => attributesOf(item).map((name) => ({ item, name })));
    const sample = fc.tuple(fc.constantFrom(...places), anyValue);
    fc.assert(
      fc.property(sample, ([{ item, name }, value]) => {
        const present = item[name];
        fc.pre(present !== undefined && typeOf(present) !== typeOf(value) && !isFree(item, name));
        neverWrong(item, { ...item, [name]: value }, `${shownLedgerKey(item)} with ${name} ${JSON.stringify(value)}`);
        expect(inspectRecord(entityOf(item), { ...item, [name]: value }).kind).to.equal('damaged');
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found out when something inside of it is of another type', () => {
    const nested = items.flatMap((item) =>
      attributesOf(item).flatMap((name) => {
        const value = item[name];
        if (value === undefined || !('M' in value) || isFree(item, name)) return [];
        return Object.keys(value.M).map((member) => ({ item, name, member, members: value.M }));
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...nested), anyValue, ({ item, name, member, members }, value) => {
        const present = members[member] as AttributeValue;
        fc.pre(typeOf(present) !== typeOf(value));
        const damaged = { ...item, [name]: { M: { ...members, [member]: value } } };
        const { [member]: _, ...without } = members;
        // Parameters of a read are an open map: one that is gone is not missed.
        const fewer = name === 'value' ? [] : [{ ...item, [name]: { M: without } }];
        for (const one of [damaged, ...fewer]) {
          expect(inspectRecord(entityOf(item), one).kind, `${shownLedgerKey(item)} ${name}.${member}`).to.equal('damaged');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is found out when it lies under another key than it says, or under one of no form', () => {
    const segment = oldRecord('MIGRATION#', 'SEGMENT#');
    expect(inspectRecord(segmentRecord, { ...segment, SK: { S: 'SEGMENT#0009#000#apply#00000' } })).to.deep.equal({
      kind: 'damaged',
      problems: ['generation: its key says something else'],
    });
    const odd = { ...segment, SK: { S: 'SEGMENT#9#000#apply#00000' } };
    expect(ledgerEntityOf(odd)).to.equal(segmentRecord);
    expect(failureIn(() => readLedgerRecord(segmentRecord, odd)).problems).to.deep.equal([
      'MIGRATION#0002-copy-reds / SEGMENT#9#000#apply#00000: its key is not that of a SEGMENT record',
    ]);
  });

  it('is never read as verified when its state says something else', () => {
    const item = oldRecord('MIGRATIONS', '0005');
    fc.assert(
      fc.property(anyValue, (state) => {
        fc.pre(!('S' in state) || state.S !== 'verified');
        const reading = inspectRecord(stateRecord, { ...item, state });
        expect(reading.kind === 'sound' && reading.record.state === 'verified').to.equal(false);
      }),
    );
  });

  /** Plain data of custom code may be anything. */
  const isFree = (item: Item, name: string): boolean => entityOf(item) === stepRecord && name === 'checkpoint';
});

describe('the version of a record', () => {
  const item = oldRecord('MIGRATIONS', '0002');

  it('refuses what a newer version wrote, in a sentence that says so', () => {
    const error = failureIn(() => readLedgerRecord(stateRecord, { ...item, format: { N: '3' }, state: { S: 'unheard-of' } }));
    expect([error.code, error.exitCode, error.message, error.next]).to.deep.equal([
      'LEDGER_NEWER',
      2,
      'the ledger of this stack was written by a newer version of tablewright: MIGRATIONS / 0002-copy-reds is of format 3, this version knows 2',
      'Upgrade tablewright to that version or a later one, then run the command again.',
    ]);
  });

  it('is the first where there is none, and damage where it is no version', () => {
    expect(inspectRecord(stateRecord, item).kind).to.equal('sound');
    for (const N of ['1', '2']) expect(inspectRecord(stateRecord, { ...item, format: { N } }).kind).to.equal('sound');
    for (const format of [{ N: '0' }, { N: '1.5' }, { N: '-1' }, { S: '1' }, { NULL: true }, { L: [] }] as const) {
      expect(inspectRecord(stateRecord, { ...item, format } as Item), JSON.stringify(format)).to.deep.equal({
        kind: 'damaged',
        problems: ['format: expected a whole number from 1 on'],
      });
    }
  });
});
