import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { volumeItems } from '../../../engine/core/seed/volume-items.ts';
import type { BoundEntity } from '../../../engine/core/transfer/mask/bind-rules.ts';
import { itemMasker } from '../../../engine/core/transfer/mask/mask-item.ts';
import { type MaskFile, readMaskFile } from '../../../engine/core/transfer/mask/mask-rules.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { entityOf } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { placeholdersOf } from '../../../tables/model/template.ts';
import { boundTable, testHash } from '../../support/mask-bed.ts';
import { tables } from '../../support/project.ts';
import { repository } from '../../support/run-cli.ts';
import { volumes } from '../../support/volumes.ts';

const base = 1_794_800_000;
const count = 3_000;
const seeds = [1, 2, 3];

async function exampleRules(): Promise<MaskFile> {
  const read = readMaskFile(parse(await readFile(join(repository, 'examples/masks.yaml'), 'utf8')));
  if (!('file' in read)) throw new Error(read.problems.join('\n'));
  return read.file;
}

/** Attributes that the rules are for, and those that are made of them. */
function ruledIn({ entity, rules }: BoundEntity): ReadonlySet<string> {
  const derived = (entity?.derive ?? []).flatMap(({ set }) =>
    Object.entries(set).flatMap(([name, template]) =>
      placeholdersOf(template).some((part) => rules.members.has(part)) ? [name] : [],
    ),
  );
  return new Set([...rules.members.keys(), ...derived]);
}

/** What a mask changes of an item beside what its rules are for. */
function masking(table: Table, file: MaskFile): (item: Item) => readonly string[] {
  const bound = boundTable(table, file);
  const masker = itemMasker(bound, testHash);
  return (item) => {
    const entity = entityOf(table, item)?.name ?? '';
    const ruled = ruledIn(bound.ofEntity.get(entity) as BoundEntity);
    const masked = masker.apply(item) ?? {};
    return [...new Set([...Object.keys(item), ...Object.keys(masked)])].flatMap((name) => {
      const [before, after] = [JSON.stringify(item[name]), JSON.stringify(masked[name])];
      return before === after || ruled.has(name) ? [] : [`${entity}.${name}: ${before} became ${after}`];
    });
  };
}

describe('a mask of thousands of records', function () {
  this.timeout(120_000);
  let file: MaskFile;
  before(async () => {
    file = await exampleRules();
  });

  for (const [name, volume] of Object.entries(volumes)) {
    it(`of ${name} refuses none and changes nothing that no rule is for: no price, quantity, constant, listed value or date`, () => {
      const found = new Set<string>();
      const maskers = new Map(tables.map((table) => [table.name, masking(table, file)] as const));
      for (const seed of seeds) {
        for (const { table, item } of volumeItems(name, volume, { count, seed, base }, 0)) {
          for (const change of maskers.get(table)?.(item) ?? ['no such table']) found.add(`${table}/${change}`);
        }
      }
      expect([...found]).to.deep.equal([]);
    });
  }
});
