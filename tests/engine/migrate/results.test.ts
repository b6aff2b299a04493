import { expect } from 'chai';
import { decideItem } from '../../../engine/core/migrate/decide-item.ts';
import { decidePage } from '../../../engine/core/migrate/decide-twice.ts';
import { backfill, defineMigration, insertItems, type Migration } from '../../../engine/core/migrate/define-migration.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import { anotherDay } from '../../../engine/local/another-day.ts';
import { planRuns } from '../../../engine/run/migrate/plan.ts';
import { type AttributeValue, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { failureOf } from '../../support/failure-of.ts';
import { openFaultProxy } from '../../support/fault-proxy.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, thing, thingOf, things, toyTables } from '../../support/toy-table.ts';

type Change = (item: Item) => unknown;

/** What people may write in a file, types or not. */
const changing = (change: Change): Migration =>
  defineMigration({
    ...indexColours,
    steps: [
      backfill({
        name: 'colour keys',
        table: things,
        entities: [thing],
        reads: ['colour', 'nested', 'raw'],
        change: change as never,
      }),
    ],
  });

const nested: Item = { nested: { M: { list: { L: [{ S: 'a' }] }, set: { SS: ['x'] } } }, raw: { B: new Uint8Array([1, 2]) } };

function reasonOf(change: Change, item: Item = thingOf(0, nested)): string | undefined {
  const [step] = changing(change).steps;
  if (step?.kind !== 'backfill') throw new Error('a backfill was expected');
  const decision = decideItem(step, item, { nowSeconds: 0 });
  return decision.kind === 'poison' ? decision.reason : decision.kind;
}

const never = () => new Promise<undefined>(() => undefined);
const setting = (value: unknown) => () => ({ set: { x: value } });
const deep = (levels: number): AttributeValue => (levels === 0 ? { S: 'x' } : { L: [deep(levels - 1)] });

describe('what a change gives', () => {
  const refused: readonly (readonly [string, Change, string])[] = [
    [
      'a promise',
      async () => ({ set: { x: { S: '1' } } }),
      "change gave a promise: it must be a plain function, not an async one; what it has to know must be in the item or in the step's lookup, or the step must be a custom one",
    ],
    ['a promise that never ends', never, 'change gave a promise'],
    [
      'a promise that fails',
      async () => {
        throw new Error('later');
      },
      'change gave a promise',
    ],
    ['an object without set and remove', () => ({}), 'change gave neither set nor remove'],
    ['attributes without set', () => ({ x: { S: '1' } }), 'change gave x: expected set and remove, and nothing beside them'],
    ['null', () => null, 'change gave null: expected { set, remove }, or undefined for nothing to do'],
    ['a text', () => 'done', 'change gave a string'],
    ['a list', () => [{ S: 'x' }], 'change gave an array'],
    ['true', () => true, 'change gave a boolean'],
    ['a list for set', () => ({ set: [{ S: 'x' }] }), 'set: expected an object of attributes, found an array'],
    ['a Map for set', () => ({ set: new Map([['x', { S: '1' }]]) }), 'set: expected an object of attributes, found a Map'],
    ['null for set', () => ({ set: null }), 'set: expected an object of attributes, found null'],
    ['a text for remove', () => ({ remove: 'old' }), 'remove: expected a list of attribute names, found a string'],
    ['an empty name', () => ({ set: { '': { S: '1' } } }), 'set: an attribute has a name of at least one byte'],
    ['an attribute of undefined', setting(undefined), "set: x: expected a DynamoDB value such as { S: 'text' }, found undefined"],
    ['a plain text', setting('1'), "set: x: expected a DynamoDB value such as { S: 'text' }, found a string"],
    [
      'a type that there is not',
      setting({ X: '1' }),
      'set: x: expected one of the types S, N, B, BOOL, NULL, SS, NS, BS, L, M, found X',
    ],
    ['a name of every object as a type', setting({ constructor: '1' }), 'set: x: expected one of the types'],
    ['two types', setting({ S: '1', N: '1' }), "set: x: expected one type such as { S: 'text' }, found S and N"],
    ['no type', setting({}), "set: x: expected one type such as { S: 'text' }, found none"],
    ['a number as a number', setting({ N: 1 }), 'set: x: N: expected the text of a number, found a number'],
    ['a number that is none', setting({ N: 'one' }), 'set: x: N: not a decimal number'],
    ['a number of 39 digits', setting({ N: '1'.repeat(39) }), 'set: x: N: 39 significant digits, at most 38 are kept'],
    ['a text that is a number', setting({ S: 1 }), 'set: x: S: expected a text, found a number'],
    ['NULL that is false', setting({ NULL: false }), 'set: x: NULL: expected true, found a boolean'],
    ['bytes as a list', setting({ B: [1] }), 'set: x: B: expected a Uint8Array, found an array'],
    ['an empty set', setting({ SS: [] }), 'set: x: SS: a set may not be empty'],
    ['a set with a number twice', setting({ NS: ['1', '1.0'] }), 'set: x: NS: a set holds each value once'],
    [
      'a set with bytes twice',
      setting({ BS: [new Uint8Array([1]), new Uint8Array([1])] }),
      'set: x: BS: a set holds each value once',
    ],
    ['a JavaScript Set', setting({ SS: new Set(['a']) }), 'set: x: SS: expected a list, found a Set'],
    [
      'undefined deep inside',
      setting({ M: { y: { L: [{ S: 'a' }, undefined] } } }),
      'set: x: M: y: L[1]: expected a DynamoDB value',
    ],
    ['a Date as a map', setting({ M: new Date(0) }), 'set: x: M: expected an object of attributes, found a Date'],
    ['too deep a nesting', setting(deep(33)), 'nested deeper than 32 levels'],
  ];
  for (const [what, change, why] of refused) {
    it(`is refused as ${what}`, () => expect(reasonOf(change)).to.contain(why));
  }

  it('is refused when it wrote to what it was given, however deep', () => {
    const writes: readonly Change[] = [
      (item) => Object.assign(item, { x: { S: '1' } }) && undefined,
      (item) => ({ set: { colour: Object.assign(item.colour ?? {}, { S: 'other' }) } }),
      (item) => {
        const { nested: inner } = item as { nested: { M: { list: { L: AttributeValue[] } } } };
        inner.M.list.L.push({ S: 'b' });
        return { set: { nested: item.nested } };
      },
      (item) => {
        const { nested: inner } = item as { nested: { M: { set: { SS: string[] } } } };
        inner.M.set.SS[0] = 'y';
        return { set: { nested: item.nested } };
      },
    ];
    for (const change of writes) expect(reasonOf(change)).to.match(/read only|not extensible|object is not/);
    // Bytes cannot be frozen; what is changed is a copy, and so a change.
    const bytes: Change = (item) => {
      const { raw } = item as { raw: { B: Uint8Array } };
      raw.B[0] = 9;
      return { set: { raw } };
    };
    expect(reasonOf(bytes)).to.equal('change');
  });

  it('is nothing to do only when it is undefined, or sets what is there and removes what is not', () => {
    expect(reasonOf(() => undefined)).to.equal('right');
    expect(reasonOf((item) => ({ set: { colour: item.colour }, remove: ['not-there'] }))).to.equal('right');
    expect(reasonOf(() => ({ set: {} }))).to.equal('right');
    expect(reasonOf(() => ({ set: { x: { S: '' } }, remove: undefined }))).to.equal('change');
    expect(reasonOf(setting(deep(31)))).to.equal('change');
  });
});

describe('a run whose function is wrong', () => {
  const engine = useEngine(toyTables);
  const environment = (options: Parameters<typeof migrateEnvironment>[1] = {}) =>
    migrateEnvironment(engine(), { tables: toyTables, ...options });
  const stateOf = async () => (await ledgerOf(environment()).state(indexColours.id))?.state;

  const mistakes: Readonly<Record<string, Change>> = {
    'is async': async (item) => ({ set: { 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } } }),
    'forgets set': (item) => ({ 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } }),
    'gives a text': () => 'COLOUR#red',
    'gives a list for set': (item) => ({ set: [{ S: `COLOUR#${scalarText(item.colour)}` }] }),
    'gives undefined for a value': () => ({ set: { 'colour-key': undefined } }),
    'changes what it is given': (item) => {
      const { colour } = item as { colour: { S: string } };
      colour.S = 'blue';
      return { set: { colour } };
    },
  };
  for (const [what, change] of Object.entries(mistakes)) {
    it(`because it ${what} is neither applied nor verified, says why, and writes nothing`, async () => {
      await resetToys(engine(), someThings(12));
      const before = await contentOf(engine(), things);
      const report = await migrate(environment(), [changing(change)]);
      expect(report.outcome).to.equal('incomplete');
      expect(report.results[0]).to.include({ state: 'incomplete', dead: 12 });
      expect(report.results[0]?.deadLetters).to.have.length(10);
      expect(report.results[0]?.deadLetters[0]?.reason).to.equal(reasonOf(change, thingOf(0)));
      expect(await stateOf()).to.equal('incomplete');
      expect(await contentOf(engine(), things)).to.deep.equal(before);
    });
  }

  const impure: Readonly<Record<string, Change>> = {
    'of chance': () => ({ set: { x: { N: String(Math.random()) } } }),
    'of a random id': () => ({ set: { x: { S: crypto.randomUUID() } } }),
    'of the clock, to the millisecond': () => ({ set: { x: { N: String(Date.now()) } } }),
    'of the year': () => ({ set: { x: { N: String(new Date().getFullYear()) } } }),
    'of the day': () => ({ set: { x: { S: new Date().toISOString().slice(0, 10) } } }),
    'of what it remembers': (
      (count = 0) =>
      () => {
        count += 1;
        return { set: { x: { N: String(count) } } };
      }
    )(),
    'of chance, seldom': () => (Math.random() < 0.5 ? undefined : { set: { x: { S: '1' } } }),
  };
  for (const [what, change] of Object.entries(impure)) {
    it(`because it is a function ${what} is named as such by the plan, and by the run before anything is written`, async () => {
      await resetToys(engine(), someThings(60));
      const before = await contentOf(engine(), things);
      const runs = [{ source: sourceOf(changing(change)), kind: 'fresh' as const }];
      const planned = await failureOf(planRuns(environment(), runs, undefined, new AbortController().signal));
      expect([planned.code, planned.message]).to.satisfy(
        ([code, message]: [string, string]) =>
          code === 'BAD_MIGRATION' && message.includes('change is not a function of the item'),
      );
      const report = await migrate(environment(), [changing(change)]);
      expect(report.results[0]?.error?.code, JSON.stringify(report)).to.equal('BAD_MIGRATION');
      expect(report.results[0]?.error?.message).to.match(
        /^0001-index-colours: step colour keys: its change is not a function of the item: asked twice about thing-\d{4}, it gave (other values of x|once (a change|nothing to do), once (a change|nothing to do))$/,
      );
      expect(await stateOf()).to.equal('failed');
      expect(await contentOf(engine(), things)).to.deep.equal(before);
    });
  }

  it('because it is one of chance is named as such also where most items are not for it', async () => {
    const notes = Array.from({ length: 60 }, (_, at) => ({ id: { S: `note-${at}` } }));
    const items = [...notes, ...someThings(12)];
    const random = changing(() => ({ set: { x: { N: String(Math.random()) } } }));
    const [step] = random.steps;
    if (step?.kind !== 'backfill') throw new Error('a backfill was expected');
    const entities = [{ ...thing, derive: [{ set: { id: 'thing-{id}' } }] }] as unknown as typeof things.entities;
    const ofThings = { ...step, table: { ...things, entities }, entities };
    const options = { migration: indexColours.id, nowSeconds: 0, anotherDay };
    const kinds = items.map((item) => decideItem(ofThings, item, options).kind);
    expect(kinds.slice(0, 60)).to.deep.equal(notes.map(() => 'foreign'));
    expect(kinds.slice(60)).to.deep.equal(someThings(12).map(() => 'change'));
    expect(() => decidePage(ofThings, items, options)).to.throw('its change is not a function of the item');
  });

  const undeclared: Readonly<Record<string, { readonly change: Change; readonly names: string }>> = {
    'an attribute of the catalogue': {
      change: (item) => (item.colour === undefined ? undefined : { set: { x: { S: '1' } } }),
      names: 'colour, an attribute that is not among its reads, so it never finds it',
    },
    'attributes that its items have': {
      change: (item) => ({ set: { x: { BOOL: item.size !== undefined || 'weight' in item } } }),
      names: 'size, weight, attributes that are not among its reads, so it never finds them',
    },
    'what it writes itself': {
      change: (item) => (item['colour-key'] === undefined ? { set: { 'colour-key': { S: 'x' } } } : undefined),
      names: 'colour-key, an attribute that is not among its reads, so it never finds it',
    },
    'one on which it fails': {
      change: (item) => ({ set: { x: { S: (item as { colour: { S: string } }).colour.S } } }),
      names: 'colour, an attribute that is not among its reads, so it never finds it',
    },
  };
  for (const [what, { change, names }] of Object.entries(undeclared)) {
    it(`because it looks at ${what} and does not say so is told by plan and run, and writes nothing`, async () => {
      const size = { weight: { N: '1' }, size: { N: '2' } };
      await resetToys(
        engine(),
        someThings(30).map((item) => ({ ...item, ...size })),
      );
      const before = await contentOf(engine(), things);
      const step = backfill({ name: 'colour keys', table: things, reads: [], change: change as never });
      const blind = defineMigration({ ...indexColours, steps: [step] });
      const runs = [{ source: sourceOf(blind), kind: 'fresh' as const }];
      const planned = await failureOf(planRuns(environment(), runs, undefined, new AbortController().signal));
      const message = `${indexColours.id}: step colour keys: its change looks at ${names}`;
      expect([planned.code, planned.message.split('\n')[0]]).to.deep.equal(['BAD_MIGRATION', message]);
      const report = await migrate(environment(), [blind]);
      expect([report.results[0]?.state, report.results[0]?.error?.message]).to.deep.equal(['failed', message]);
      expect(await contentOf(engine(), things)).to.deep.equal(before);
    });
  }

  it('looks at what it is given in any way, and at what no attribute is', async () => {
    const ways: readonly Change[] = [
      (item) => ({ set: { ...structuredClone(item), x: { S: JSON.stringify(item) } } }),
      (item) => ({ set: { x: { S: `${String(item)} ${Object.keys(item).length} ${'then' in item}` } } }),
      ({ id, colour, ...rest }) => ({ set: { x: { S: `${scalarText(id)} ${scalarText(colour)} ${Object.keys(rest).length}` } } }),
    ];
    for (const change of ways) {
      await resetToys(engine(), someThings(3));
      const report = await migrate(environment(), [changing(change)]);
      expect(report.results[0], JSON.stringify(report)).to.include({ state: 'verified', dead: 0 });
    }
  });

  it('because its new items have random keys is named as such', async () => {
    await resetToys(engine(), someThings(5));
    const random = defineMigration({
      ...indexColours,
      steps: [insertItems({ name: 'copies', table: things, reads: [], items: () => [{ id: { S: crypto.randomUUID() } }] })],
    });
    const report = await migrate(environment(), [random]);
    expect(report.results[0]?.error?.message).to.contain('its items is not a function of the item');
  });

  it('asks with another clock and leaves the real one as it was', () => {
    const real = Date;
    const other = anotherDay(() => ({ date: new Date(), now: Date.now(), fixed: new Date(5), text: Date() }));
    expect(Date).to.equal(real);
    expect(other.date).to.be.instanceOf(Date);
    expect(other.now - Date.now()).to.be.greaterThan(400 * 86_400_000);
    expect([other.fixed.getTime(), other.text.length > 20]).to.deep.equal([5, true]);
    expect(() =>
      anotherDay(() => {
        throw new Error('x');
      }),
    ).to.throw('x');
    expect(Date).to.equal(real);
  });

  it('stops at the limit of dead letters, in the ledger, in what it tells, and at once', async () => {
    await resetToys(engine(), someThings(200));
    const events: MigrateEvent[] = [];
    const tuning = { maxDeadLetters: 7, segments: 4, pageItems: 100 };
    const report = await migrate(environment({ events, tuning }), [changing(() => 'x')]);
    expect(report.results[0]?.error?.code).to.equal('TOO_MANY_DEAD_LETTERS');
    expect(events.filter(({ kind }) => kind === 'dead-letter')).to.have.length(7);
    expect(await ledgerOf(environment()).dead(indexColours.id)).to.have.length(8);
    expect(report.results[0]).to.include({ dead: 8 });
  });
});

describe('new items', () => {
  const engine = useEngine(toyTables);
  const environment = (options: Parameters<typeof migrateEnvironment>[1] = {}) =>
    migrateEnvironment(engine(), { tables: toyTables, ...options });
  /** Many things of a colour, one item for each colour. */
  const colours = defineMigration({
    id: '0001-list-colours',
    description: 'Each colour has an item',
    steps: [
      insertItems({
        name: 'colours',
        table: things,
        reads: ['colour'],
        items: (item) => {
          const colour = scalarText(item.colour) ?? '';
          return scalarText(item.id)?.startsWith('thing-') === true
            ? [{ id: { S: `colour-${colour}` }, colour: { S: colour } }]
            : [];
        },
      }),
    ],
  });

  it('that several items give with the same key are inserted once, counted once, and taken back', async () => {
    for (const segments of [1, 4]) {
      await resetToys(engine(), someThings(30));
      const before = await contentOf(engine(), things);
      const report = await migrate(environment({ tuning: { segments, pageItems: 7 } }), [colours]);
      expect(report.results[0], JSON.stringify(report.results)).to.include({ state: 'verified', dead: 0 });
      expect(report.results[0]?.counts.changed).to.equal(3);
      expect(Object.keys(await contentOf(engine(), things))).to.have.length(33);
      const undone = await rollback(environment(), [colours]);
      expect(undone.results[0]?.counts).to.include({ changed: 3, kept: 0 });
      expect(await contentOf(engine(), things)).to.deep.equal(before);
    }
  });

  it('are refused when one item gives two with the same key, or one that DynamoDB cannot hold', async () => {
    const giving = (items: unknown) => insertItems({ name: 's', table: things, reads: [], items: (() => items) as never });
    const why = (items: unknown) => {
      const decision = decideItem(giving(items), thingOf(0), { nowSeconds: 0 });
      return decision.kind === 'poison' ? decision.reason : decision.kind;
    };
    const one = { id: { S: 'a' } };
    expect(why([one, { ...one, x: { S: '1' } }])).to.equal('items gave two new items with the same key');
    expect(why(undefined)).to.equal('items gave undefined: expected a list of new items, empty for none');
    expect(why(Promise.resolve([one]))).to.contain('items gave a promise');
    expect(why([{ x: { S: '1' } }])).to.equal('id: the key attribute is missing');
    expect(why([{ ...one, x: 1 }])).to.equal("a new item: x: expected a DynamoDB value such as { S: 'text' }, found a number");
    expect(why([{ ...one, x: { S: 'x'.repeat(500_000) } }])).to.contain('DynamoDB holds at most 409600');
    expect(why([])).to.equal('right');
  });

  const taking: Readonly<Record<string, { readonly taken: (there: Item, made: Item) => unknown; readonly reason: string }>> = {
    'gives a promise': {
      taken: async () => undefined,
      reason:
        "taken gave a promise: it must be a plain function, not an async one; what it has to know must be in the item or in the step's lookup, or the step must be a custom one",
    },
    'gives true': { taken: () => true, reason: 'taken gave a boolean: expected what is wrong, or undefined for nothing' },
    'gives no reason': { taken: () => '', reason: 'taken gave an empty text: expected what is wrong, or undefined for nothing' },
    fails: {
      taken: () => {
        throw new Error('cannot tell');
      },
      reason: 'cannot tell',
    },
    'writes to what it is given': {
      taken: (there) => Object.assign(there, { x: { S: '1' } }) && undefined,
      reason: 'Cannot add property x, object is not extensible',
    },
  };
  for (const [what, { taken, reason }] of Object.entries(taking)) {
    it(`whose place is taken become dead letters where the function that looks at that ${what}`, async () => {
      await resetToys(engine(), [thingOf(0), { id: { S: 'colour-red' } }]);
      const [step] = colours.steps;
      if (step?.kind !== 'insert') throw new Error('an insert was expected');
      const report = await migrate(environment(), [{ ...colours, steps: [{ ...step, taken: taken as never }] }]);
      expect(report.results[0]).to.include({ state: 'incomplete', dead: 1 });
      expect(report.results[0]?.deadLetters).to.deep.equal([{ key: 'thing-0000', reason }]);
    });
  }

  for (const [name, faults] of Object.entries({
    'reset connections': { cutBefore: 0.4, cutAfter: 0.2 },
    'server errors and throttles': { serverError: 0.3, throttle: 0.3 },
  })) {
    it(`are looked for through ${name}`, async () => {
      await resetToys(engine(), someThings(60));
      const before = await contentOf(engine(), things);
      const proxy = await openFaultProxy(engine().endpoint, { ...faults, operations: ['BatchGetItem'] });
      try {
        const report = await migrate(environment({ endpoint: proxy.endpoint }), [colours]);
        expect([...proxy.made.values()].reduce((sum, made) => sum + made, 0)).to.be.greaterThan(1);
        expect(report.results[0], JSON.stringify(report.results)).to.include({ state: 'verified', dead: 0 });
      } finally {
        await proxy.close();
      }
      await rollback(environment(), [colours]);
      expect(await contentOf(engine(), things)).to.deep.equal(before);
    });
  }
});
