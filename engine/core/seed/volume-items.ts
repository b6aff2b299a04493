import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { tryBuildItem } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { FixtureTable, GeneratedRecord, Volume, VolumeOptions } from './define-seed.ts';

export interface VolumeItem {
  /** Its place among all records of the volume. */
  readonly place: number;
  /** The table's base name. */
  readonly table: string;
  readonly item: Item;
}

/** The items of a volume from a place on. Earlier records are made, because later ones depend on them, but not built. */
export function* volumeItems(set: string, volume: Volume, options: VolumeOptions, from: number): Generator<VolumeItem> {
  const whole = new Map<FixtureTable, Table>();
  let place = 0;
  for (const generated of volume.generate(options)) {
    const { table, entity, record } = generated;
    if (place >= options.count) throw broken(set, place, entity, [`more records than the ${options.count} asked for`]);
    if (place >= from) {
      const full = whole.get(table) ?? { ...table, patterns: {} };
      whole.set(table, full);
      const built = tryBuildItem(full, entity, record);
      if ('problems' in built) throw broken(set, place, entity, built.problems);
      yield { place, table: table.name, item: built.item };
    }
    place += 1;
  }
  if (place < options.count) {
    throw new TablewrightError('BAD_SEED', `${set}: the generator stopped after ${place} of ${options.count} records`, {
      next: `Correct generate in seeds/${set}/seed.ts.`,
    });
  }
}

function broken(set: string, place: number, entity: Entity, problems: readonly string[]): TablewrightError {
  return new TablewrightError('BAD_SEED', `${set}: record ${place + 1} of the generator, a ${entity.name}, cannot be stored`, {
    problems,
    next: `Correct generate in seeds/${set}/seed.ts; what was written before it stays and is written again in place.`,
  });
}

/** The first place at which the records of two counts differ; the smaller count where they do not. */
export function divergence(volume: Volume, options: Omit<VolumeOptions, 'count'>, one: number, other: number): number {
  const left = volume.generate({ ...options, count: one })[Symbol.iterator]();
  const right = volume.generate({ ...options, count: other })[Symbol.iterator]();
  for (let place = 0; ; place += 1) {
    const a = left.next();
    const b = right.next();
    if (a.done === true || b.done === true || !sameRecord(a.value, b.value)) return place;
  }
}

function sameRecord(a: GeneratedRecord, b: GeneratedRecord): boolean {
  return a.entity === b.entity && JSON.stringify(a.record) === JSON.stringify(b.record);
}
