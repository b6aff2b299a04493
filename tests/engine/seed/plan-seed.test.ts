import { expect } from 'chai';
import fc from 'fast-check';
import type { FixtureTable } from '../../../engine/core/seed/define-seed.ts';
import {
  type Copy,
  type LedgerRow,
  planSeed,
  type RowPlan,
  type Verdict,
  type WantedRow,
} from '../../../engine/core/seed/plan-seed.ts';
import { things } from '../../support/toy-table.ts';

const table: FixtureTable = things;

/** A stack: what is stored under each key, and what the set's ledger knows. */
interface World {
  readonly stored: Map<string, string>;
  readonly ledger: Map<string, LedgerRow>;
}

interface Asked {
  readonly wanted: readonly WantedRow[];
  readonly overwrite: boolean;
  readonly prune: boolean;
}

/** The contents of a row are its hash here; a key is one of a few that belong to the row alone, as `now` moves it. */
const wantedRow = (identity: string, time: number, hash: string): WantedRow => ({
  identity,
  table,
  key: `${identity}@${time}`,
  hash,
  item: { content: { S: hash } },
});

const planIn = ({ stored, ledger }: World, asked: Asked): readonly RowPlan[] =>
  planSeed({ ...asked, ledger, stored: (_, key) => stored.get(key) });

/** Every single write of a plan in the order that they are made: intents, rows, confirmations. */
function writesOf(plan: readonly RowPlan[]): readonly ((world: World) => void)[] {
  const remember = (row: RowPlan, copies: readonly Copy[]) => (world: World) =>
    void world.ledger.set(row.identity, { identity: row.identity, table: row.table, copies });
  const intents = plan.flatMap((row) => (row.intent === undefined ? [] : [remember(row, row.intent)]));
  const changes = plan.flatMap((row) => [
    ...(row.put === undefined ? [] : [(world: World) => void world.stored.set(row.key, contentOf(row))]),
    ...row.remove.map((key) => (world: World) => void world.stored.delete(key)),
  ]);
  const confirmations = plan.flatMap((row) => {
    if (row.confirmed === undefined) return [];
    return row.confirmed === 'forget'
      ? [(world: World) => void world.ledger.delete(row.identity)]
      : [remember(row, row.confirmed)];
  });
  return [...intents, ...changes, ...confirmations];
}

const contentOf = ({ put }: RowPlan) => (put as { readonly content: { readonly S: string } }).content.S;

const copyOf = ({ stored, ledger }: World): World => ({ stored: new Map(stored), ledger: new Map(ledger) });

const carryOut = (world: World, plan: readonly RowPlan[], writes = Number.POSITIVE_INFINITY): World => {
  const after = copyOf(world);
  for (const write of writesOf(plan).slice(0, writes)) write(after);
  return after;
};

const identities = ['r0', 'r1', 'r2'] as const;
const hash = fc.constantFrom('h0', 'h1', 'h2');
const time = fc.integer({ min: 0, max: 2 });

const anyFiles: fc.Arbitrary<readonly WantedRow[]> = fc
  .tuple(...identities.map(() => fc.option(fc.tuple(time, hash), { nil: undefined })))
  .map((rows) => rows.flatMap((row, at) => (row === undefined ? [] : [wantedRow(identities[at] ?? '', row[0], row[1])])));

/** Rows under any of the keys, and a ledger that knows any of the contents: also what no run would leave. */
const anyWorld: fc.Arbitrary<World> = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...identities.flatMap((identity) => [0, 1, 2].map((at) => `${identity}@${at}`))), hash, {
      maxKeys: 6,
    }),
    fc.tuple(
      ...identities.map(() => fc.option(fc.array(fc.tuple(time, hash), { minLength: 1, maxLength: 3 }), { nil: undefined })),
    ),
  )
  .map(([stored, known]) => ({
    stored: new Map(Object.entries(stored)),
    ledger: new Map(
      known.flatMap((copies, at) => {
        const identity = identities[at] ?? '';
        if (copies === undefined) return [];
        return [
          [
            identity,
            { identity, table: table.name, copies: copies.map(([when, of]) => ({ key: `${identity}@${when}`, hash: of })) },
          ],
        ];
      }),
    ),
  }));

const anyAsked: fc.Arbitrary<Asked> = fc.record({ wanted: anyFiles, overwrite: fc.boolean(), prune: fc.boolean() });
const kept: readonly Verdict[] = ['edited', 'foreign', 'leftover', 'leftover-edited'];

describe('planSeed', () => {
  it('has one verdict for each row of the files and of the ledger', () =>
    fc.assert(
      fc.property(anyWorld, anyAsked, (world, asked) => {
        const named = new Set([...asked.wanted.map(({ identity }) => identity), ...world.ledger.keys()]);
        expect(
          planIn(world, asked)
            .map(({ identity }) => identity)
            .toSorted(),
        ).to.deep.equal([...named].toSorted());
      }),
    ));

  it('touches no row that is not the set’s, unless it is told to overwrite', () =>
    fc.assert(
      fc.property(anyWorld, anyAsked, (world, asked) => {
        for (const row of planIn(world, { ...asked, overwrite: false })) {
          const own = [...(world.ledger.get(row.identity)?.copies ?? []), ...asked.wanted];
          for (const key of [...(row.put === undefined ? [] : [row.key]), ...row.remove]) {
            const there = world.stored.get(key);
            const ours = there === undefined || own.some((copy) => copy.key === key && copy.hash === there);
            expect(ours, `${row.verdict} ${key}`).to.equal(true);
          }
        }
      }),
      { numRuns: 1_000 },
    ));

  it('writes and deletes nothing for a row that it keeps, and deletes rows that left the files only to prune', () =>
    fc.assert(
      fc.property(anyWorld, anyAsked, (world, asked) => {
        const wanted = new Set(asked.wanted.map(({ identity }) => identity));
        for (const { verdict, put, remove, intent, confirmed, identity } of planIn(world, asked)) {
          if (kept.includes(verdict))
            expect([put, remove, intent, confirmed]).to.deep.equal([undefined, [], undefined, undefined]);
          if (!wanted.has(identity)) expect(verdict === 'pruned').to.equal(asked.prune && verdict !== 'leftover-edited');
        }
      }),
      { numRuns: 500 },
    ));

  it('leaves exactly the wanted rows, and finds nothing to do the second time', () =>
    fc.assert(
      fc.property(anyWorld, anyAsked, (world, asked) => {
        const plan = planIn(world, asked);
        const after = carryOut(world, plan);
        const again = planIn(after, asked);
        for (const row of plan.filter(({ verdict }) => !kept.includes(verdict) && verdict !== 'pruned')) {
          const file = asked.wanted.find(({ identity }) => identity === row.identity);
          const keys = [...after.stored.keys()].filter((key) => key.startsWith(`${row.identity}@`));
          expect(after.stored.get(row.key)).to.equal(file?.hash);
          expect(after.ledger.get(row.identity)?.copies).to.deep.equal([{ key: row.key, hash: file?.hash }]);
          const known = world.ledger.get(row.identity)?.copies.map(({ key }) => key) ?? [];
          expect(
            keys.filter((key) => key !== row.key && known.includes(key)),
            'a copy under an old key',
          ).to.deep.equal([]);
          expect(again.find(({ identity }) => identity === row.identity)?.verdict).to.equal('unchanged');
        }
        expect(writesOf(again)).to.have.length(0);
      }),
      { numRuns: 1_000 },
    ));

  it('never takes its own half-done work for somebody’s, and ends the same, wherever it was cut off', () =>
    fc.assert(
      fc.property(anyWorld, anyAsked, fc.nat(), (world, asked, cut) => {
        const plan = planIn(world, asked);
        const writes = writesOf(plan).length;
        const broken = carryOut(world, plan, writes === 0 ? 0 : cut % (writes + 1));
        // The next run is not told to overwrite: what the first was told stays done, and nothing of it looks like an edit.
        const next = planIn(broken, { ...asked, overwrite: false });
        const started = new Set(plan.filter(({ verdict }) => !kept.includes(verdict)).map(({ identity }) => identity));
        if (!asked.overwrite) {
          for (const row of next) if (started.has(row.identity)) expect(kept, row.verdict).not.to.include(row.verdict);
        }
        expect(carryOut(broken, planIn(broken, asked))).to.deep.equal(carryOut(world, plan));
      }),
      { numRuns: 1_500 },
    ));

  it('says what is to be written before it is written, beside every copy that may still be there', () =>
    fc.assert(
      fc.property(anyWorld, anyAsked, (world, asked) => {
        for (const row of planIn(world, asked)) {
          if (row.verdict !== 'created' && row.verdict !== 'updated') continue;
          const known = world.ledger.get(row.identity)?.copies ?? [];
          expect(row.intent).to.include.deep.members([...known, ...((row.confirmed ?? []) as readonly Copy[])]);
        }
      }),
      { numRuns: 500 },
    ));

  describe('the verdict of one row', () => {
    const verdict = (stored: string | undefined, known: readonly Copy[] | undefined, options: Partial<Asked> = {}) => {
      const row = wantedRow('r0', 1, 'new');
      const world: World = {
        stored: new Map(stored === undefined ? [] : [[row.key, stored]]),
        ledger: new Map(known === undefined ? [] : [['r0', { identity: 'r0', table: table.name, copies: known }]]),
      };
      const [found] = planIn(world, { wanted: [row], overwrite: false, prune: false, ...options });
      return found;
    };
    const ours = (...hashes: readonly string[]): readonly Copy[] => hashes.map((of) => ({ key: 'r0@1', hash: of }));
    const row = { identity: 'r0', table: table.name, key: 'r0@1' };
    const put = { put: { content: { S: 'new' } } };

    it('is created where nothing is, and again where it went', () => {
      const created = { ...row, ...put, verdict: 'created', remove: [], confirmed: ours('new') };
      expect(verdict(undefined, undefined)).to.deep.equal({ ...created, intent: ours('new') });
      expect(verdict(undefined, ours('old'))).to.deep.equal({ ...created, intent: ours('old', 'new') });
    });

    it('is updated where the set’s own older content is', () => {
      const updated = { ...row, ...put, verdict: 'updated', remove: [], confirmed: ours('new'), intent: ours('old', 'new') };
      expect(verdict('old', ours('old'))).to.deep.equal(updated);
    });

    it('is unchanged, or adopted where only the ledger does not know yet', () => {
      expect(verdict('new', ours('new'))).to.deep.equal({ ...row, verdict: 'unchanged', remove: [] });
      for (const known of [undefined, ours('old'), ours('old', 'new')]) {
        expect(verdict('new', known)).to.deep.equal({ ...row, verdict: 'adopted', remove: [], confirmed: ours('new') });
      }
    });

    it('is edited or foreign where somebody else’s content is, and written all the same when told to', () => {
      expect(verdict('theirs', ours('old'))).to.deep.equal({ ...row, verdict: 'edited', remove: [] });
      expect(verdict('theirs', undefined)).to.deep.equal({ ...row, verdict: 'foreign', remove: [] });
      for (const known of [undefined, ours('old')]) {
        expect(verdict('theirs', known, { overwrite: true })).to.deep.include({ verdict: 'updated', ...put });
      }
    });

    it('takes the old copy away when its key moved, and writes nothing where the new one is there already', () => {
      const known = [{ key: 'r0@0', hash: 'old' }];
      const world = (stored: readonly (readonly [string, string])[]): World => ({
        stored: new Map(stored),
        ledger: new Map([['r0', { identity: 'r0', table: table.name, copies: known }]]),
      });
      const asked: Asked = { wanted: [wantedRow('r0', 1, 'new')], overwrite: false, prune: false };
      const moved = { ...row, verdict: 'updated', remove: ['r0@0'], intent: [...known, ...ours('new')], confirmed: ours('new') };
      expect(planIn(world([['r0@0', 'old']]), asked)).to.deep.equal([{ ...moved, ...put }]);
      expect(
        planIn(
          world([
            ['r0@0', 'old'],
            ['r0@1', 'new'],
          ]),
          asked,
        ),
      ).to.deep.equal([moved]);
      expect(planIn(world([['r0@0', 'theirs']]), asked)).to.deep.equal([{ ...row, verdict: 'edited', remove: [] }]);
    });

    it('is a leftover when it left the files: kept, pruned, or kept because somebody edited it', () => {
      const left = (stored: string | undefined, prune: boolean, overwrite = false) =>
        verdict(stored, ours('old'), { wanted: [], prune, overwrite });
      const pruned = { ...row, verdict: 'pruned', confirmed: 'forget' };
      expect(left('old', false)).to.deep.equal({ ...row, verdict: 'leftover', remove: [] });
      expect(left('old', true)).to.deep.equal({ ...pruned, remove: ['r0@1'] });
      expect(left(undefined, true)).to.deep.equal({ ...pruned, remove: [] });
      expect(left('theirs', true)).to.deep.equal({ ...row, verdict: 'leftover-edited', remove: [] });
      expect(left('theirs', true, true)).to.deep.equal({ ...pruned, remove: ['r0@1'] });
    });
  });
});
