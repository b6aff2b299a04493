import {
  backfill,
  cutOver,
  defineMigration,
  insertItems,
  type Migration,
  type PassStep,
  waitForIndexes,
} from '../../engine/core/migrate/define-migration.ts';
import type { Random } from '../../engine/core/seed/random.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { text } from '../../tables/model/attributes.ts';
import { sameValue } from '../../tables/model/canonical.ts';
import { absent, all, equals } from '../../tables/model/condition.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { is } from '../../tables/model/pattern.ts';
import { defineTable, type Table } from '../../tables/model/table.ts';

const thing = defineEntity({
  name: 'THING',
  description: 'A thing with a colour',
  attributes: { number: text(), colour: text() },
  derive: [{ set: { id: 'THING#{number}' } }],
});

export const things = defineTable({
  name: 'simulated-things',
  system: 'simulation',
  namespace: 'simulation.things',
  description: 'Things, notes about them, and copies of the red ones',
  hash: 'id',
  ttl: 'ttl',
  indexes: { by_colour: { hash: 'colour-key' } },
  entities: [thing],
  patterns: {
    ofColour: {
      description: 'Things of a colour',
      params: { colour: text() },
      index: 'by_colour',
      key: [is('colour-key', 'COLOUR#{colour}')],
      legacy: {
        filter: all(equals('colour', '{colour}'), absent('ttl')),
        backfill: '0001-colour-keys',
      },
      result: [thing],
      example: { colour: 'red' },
    },
  },
});

export const parts = defineTable({
  name: 'simulated-parts',
  system: 'simulation',
  namespace: 'simulation.parts',
  description: 'Parts of things, by number',
  hash: 'owner',
  range: { name: 'part', type: 'N' },
});

/** What a step wants of an item, told apart from the engine. An insert's items may be there already. */
export type Verdict =
  | { readonly kind: 'foreign' | 'expired' | 'poison' | 'right' }
  | { readonly kind: 'change'; readonly set: Item; readonly remove: readonly string[] }
  | { readonly kind: 'insert'; readonly items: readonly Item[] };

/** A step, and how the oracle judges it. */
export interface JudgedStep {
  readonly step: PassStep;
  readonly table: Table;
  /** What it may set or remove; nothing of an insert. */
  readonly writes: readonly string[];
  readonly verdictOn: (item: Item) => Verdict;
}

export interface JudgedMigration {
  readonly migration: Migration;
  readonly steps: readonly JudgedStep[];
}

/** An item whose time has passed long ago is left alone. */
export const expiredTtl: Item = { ttl: { N: '1700000000' } };

export const isThing = (item: Item): boolean => (scalarText(item.id) ?? '').startsWith('THING#');

function changeOf(item: Item, set: Item, remove: readonly string[]): Verdict {
  const missing = Object.entries(set).filter(([name, value]) => !sameValue(item[name], value));
  const left = remove.filter((name) => Object.hasOwn(item, name));
  if (missing.length + left.length === 0) return { kind: 'right' };
  return { kind: 'change', set: Object.fromEntries(missing), remove: left };
}

/** Colour keys for an index, a second attribute beside them, and an old attribute that goes. */
function colourStep(random: Random): JudgedStep {
  // A name that PartiQL might take for a path makes every change a transaction of its own.
  const shade = random.chance(150) ? 'shade.of' : 'shade';
  const writes = ['colour-key', shade, 'old'];
  const wanted = (colour: string): Item => ({ 'colour-key': { S: `COLOUR#${colour}` }, [shade]: { S: `shade of ${colour}` } });
  const readsAll = random.chance(200);
  return {
    step: backfill({
      name: 'colour keys',
      table: things,
      entities: [thing],
      reads: ['colour'],
      ...(readsAll ? {} : { writes }),
      consistent: random.chance(200),
      change: (item) => {
        const colour = scalarText(item.colour) ?? '';
        if (colour.startsWith('bad')) throw new Error(`no such colour: ${colour}`);
        return { set: wanted(colour), remove: ['old'] };
      },
    }),
    table: things,
    writes,
    verdictOn: (item) => {
      if (!isThing(item)) return { kind: 'foreign' };
      if (Object.hasOwn(item, 'ttl')) return { kind: 'expired' };
      const colour = scalarText(item.colour) ?? '';
      return colour.startsWith('bad') ? { kind: 'poison' } : changeOf(item, wanted(colour), ['old']);
    },
  };
}

/** Parts have a key of two attributes, one of them a number. */
function classStep(random: Random): JudgedStep {
  const wanted = ({ weight }: Item): Item => ({
    class: { S: `${Number(scalarText(weight)) % 2 === 0 ? 'even' : 'odd'} ${scalarText(weight)}` },
  });
  return {
    step: backfill({
      name: 'classes',
      table: parts,
      reads: ['weight'],
      writes: ['class'],
      consistent: random.chance(200),
      change: (item) => ({ set: wanted(item) }),
    }),
    table: parts,
    writes: ['class'],
    verdictOn: (item) => changeOf(item, wanted(item), []),
  };
}

/** Every red thing has a copy. */
function copyStep(): JudgedStep {
  const copiesOf = (item: Item): readonly Item[] => {
    const id = scalarText(item.id) ?? '';
    if (!(scalarText(item.colour) ?? '').startsWith('red')) return [];
    return [{ id: { S: `COPY#${id}` }, of: { S: id } }];
  };
  return {
    step: insertItems({ name: 'copies', table: things, entities: [thing], reads: ['colour'], items: copiesOf }),
    table: things,
    writes: [],
    verdictOn: (item) => {
      if (!isThing(item)) return { kind: 'foreign' };
      if (Object.hasOwn(item, 'ttl')) return { kind: 'expired' };
      const items = copiesOf(item);
      return items.length === 0 ? { kind: 'right' } : { kind: 'insert', items };
    },
  };
}

/** Readers of things by colour get them from the index. There is no item to judge; see `isInIndex`. */
const cutover: JudgedMigration = {
  migration: defineMigration({
    id: '0003-cut-over',
    description: 'Things of a colour are read by Query',
    steps: [waitForIndexes(things, 'by_colour'), cutOver(things)],
  }),
  steps: [],
};

/** Would a reader of its colour find the item in the index as well as by a Scan, once the index has caught up? */
export function isInIndex(item: Item): boolean {
  if (!isThing(item) || Object.hasOwn(item, 'ttl')) return true;
  return scalarText(item['colour-key']) === `COLOUR#${scalarText(item.colour)}`;
}

/** The migrations of a seed: one of one or two steps, and sometimes another one after it. */
export function drawMigrations(random: Random): readonly JudgedMigration[] {
  const first = [colourStep(random), ...(random.chance(350) ? [classStep(random)] : [])];
  const sets = [{ id: '0001-colour-keys', steps: first }];
  if (random.chance(350)) sets.push({ id: '0002-copy-reds', steps: [copyStep()] });
  const judged: JudgedMigration[] = sets.map(({ id, steps }) => ({
    migration: defineMigration({ id, description: id, steps: steps.map(({ step }) => step) }),
    steps,
  }));
  return random.chance(200) ? [...judged, cutover] : judged;
}

export const thingKey = (number: number): Item => ({ id: { S: `THING#${String(number).padStart(4, '0')}` } });
export const partKey = (number: number): Item => ({ owner: { S: `OWNER#${number % 5}` }, part: { N: String(number) } });

const colours = ['red', 'green', 'blue', 'red', 'green'];

/** What the tables hold at the beginning: some things are right already, some are nobody's, some cannot be right. */
export function drawItems(random: Random, migrations: readonly JudgedMigration[]): ReadonlyMap<Table, readonly Item[]> {
  const [colouring] = migrations[0]?.steps ?? [];
  const thingOf = (number: number): Item => {
    const colour = random.chance(40) ? 'bad' : random.pick(colours);
    const plain: Item = { ...thingKey(number), colour: { S: colour }, views: { N: '0' } };
    if (random.chance(50)) return { ...plain, ...expiredTtl };
    const verdict = random.chance(150) ? colouring?.verdictOn(plain) : undefined;
    if (verdict?.kind === 'change') return { ...plain, ...verdict.set };
    return random.chance(500) ? { ...plain, old: { S: `old ${number}` } } : plain;
  };
  const count = 8 + random.below(28);
  const notes = Array.from({ length: random.below(4) }, (_, at): Item => ({ id: { S: `NOTE#${at}` }, text: { S: 'a note' } }));
  const partCount = random.chance(500) ? random.below(20) : 0;
  return new Map([
    [things, [...Array.from({ length: count }, (_, at) => thingOf(at)), ...notes]],
    [parts, Array.from({ length: partCount }, (_, at) => ({ ...partKey(at), weight: { N: String(random.below(1_000)) } }))],
  ]);
}
