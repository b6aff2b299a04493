import {
  fillCount,
  type GeneratedRecord,
  type Random,
  seededRandom,
  spellTime,
  type Volume,
  weighted,
} from '../../engine/author.ts';
import { market, markets } from '../../tables/markets/markets.ts';
import { type Book, BookWriter } from './volume-book.ts';
import { ownersOf } from './volume-owners.ts';

const day = 86_400;
const tailStream = 0xffff_ffff;

const subjects = ['fees', 'validators', 'active wallets', 'the reference price', 'staked supply', 'daily transactions'];
const outcomes = ['double', 'fall by a tenth', 'set a new high', 'stay where they are', 'recover'];
const statuses = ['Active', 'Resolved', 'Cancelled'];
const statusWeights = weighted([60, 32, 8]);

/** Traded orders of a market: most are quiet. */
const activity: readonly (readonly [least: number, most: number])[] = [
  [0, 4],
  [5, 30],
  [31, 150],
  [151, 600],
];
const activityWeights = weighted([400, 400, 170, 30]);

/**
 * Market by market: a book with depth on both sides, trades in pairs, positions. The indexer's checkpoint and lock are not made:
 * there is one of each, and writing it would stop a running indexer.
 */
export const marketsVolume: Volume = {
  *generate({ count, seed, base }) {
    const owners = ownersOf(seed);
    yield* fillCount(count, {
      group: (number) => {
        const random = seededRandom(seed, number);
        const id = `v${seed}-mkt-${String(number + 1).padStart(6, '0')}`;
        return marketRecords(id, statuses[random.place(statusWeights)] ?? 'Active', random, base, owners);
      },
      tail: (room) => quietMarket(`v${seed}-mkt-quiet`, room, seededRandom(seed, tailStream), base, owners),
    });
  },
};

function marketRecords(
  id: string,
  status: string,
  random: Random,
  base: number,
  owners: readonly string[],
): readonly GeneratedRecord[] {
  const book = bookOf(id, status, random, base, owners);
  const writer = new BookWriter(book, random);
  const [least, most] = activity[random.place(activityWeights)] ?? [0, 0];
  const levels = random.between(3, 15);
  for (let level = 0; level < levels; level += 1) {
    writer.resting('Buy', book.open ? 'Open' : 'Expired');
    writer.resting('Sell', book.open ? 'Open' : 'Expired');
    if (random.chance(250)) writer.resting(random.chance(500) ? 'Buy' : 'Sell', 'Cancelled');
  }
  for (let traded = random.between(least, most); traded > 0; traded -= 1) writer.traded();
  writer.positions();
  return [marketRecord(book, status, random), ...writer.records];
}

/** A market in which nobody has traded yet: exactly `room` records. */
function quietMarket(
  id: string,
  room: number,
  random: Random,
  base: number,
  owners: readonly string[],
): readonly GeneratedRecord[] {
  const book = bookOf(id, 'Active', random, base, owners);
  const writer = new BookWriter(book, random);
  for (let order = 1; order < room; order += 1) writer.resting(order % 2 === 0 ? 'Buy' : 'Sell', 'Open');
  return [marketRecord(book, 'Active', random), ...writer.records];
}

function bookOf(marketId: string, status: string, random: Random, base: number, owners: readonly string[]): Book {
  const createdAt = base - random.between(day, 120 * day);
  return { marketId, open: status === 'Active', createdAt, base, middle: random.between(500, 9_500), owners };
}

function marketRecord(book: Book, status: string, random: Random): GeneratedRecord {
  const title = `Will ${random.pick(subjects)} ${random.pick(outcomes)} within ${random.between(1, 12)} months?`;
  const closesAt = book.open ? book.base + random.between(day, 90 * day) : book.base;
  const times = { createdAt: spellTime(book.createdAt, 'iso'), closesAt: spellTime(closesAt, 'iso') };
  return { table: markets, entity: market, record: { id: book.marketId, title, status, ...times } };
}
