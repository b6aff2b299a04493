import { decimalText, divideRounded, type GeneratedRecord, type Random, spellTime } from '../../engine/author.ts';
import { control, idempotency } from '../../tables/markets/control.ts';
import { marketOrder, marketOrders } from '../../tables/markets/orders.ts';
import { marketPosition, marketPositions } from '../../tables/markets/positions.ts';
import { trade, trades } from '../../tables/markets/trades.ts';
import { base58, ownerWeights } from './volume-owners.ts';

/** Prices from 0 to 1 in ten-thousandths; sizes are whole. */
export const priceScale = 4;
export const averageScale = 10;
const day = 86_400;

export interface Book {
  readonly marketId: string;
  readonly open: boolean;
  readonly createdAt: number;
  readonly base: number;
  /** Every bid lies below it, every ask above. */
  readonly middle: number;
  readonly owners: readonly string[];
}

type Side = 'Buy' | 'Sell';

interface Holding {
  readonly owner: string;
  readonly positionId: string;
  bought: bigint;
  paid: bigint;
  sold: bigint;
  received: bigint;
  first: number;
  last: number;
}

/** A market's orders, trades and positions: fills add up to their orders, positions to their trades. */
export class BookWriter {
  readonly records: GeneratedRecord[] = [];
  readonly #book: Book;
  readonly #random: Random;
  readonly #holdings = new Map<string, Holding>();
  #orders = 0;
  #trades = 0;

  constructor(book: Book, random: Random) {
    this.#book = book;
    this.#random = random;
  }

  /** An order that waits in the book, or died there without a fill. */
  resting(side: Side, status: 'Open' | 'Cancelled' | 'Expired'): void {
    const size = this.#random.between(1, 200) * 5;
    this.#order(side, this.#makerPrice(side), size, size, status, this.#owner(), this.#time());
  }

  /** An order in the book that others trade against, in up to three fills, whole or in part. */
  traded(): void {
    const random = this.#random;
    const side: Side = random.chance(500) ? 'Buy' : 'Sell';
    const price = this.#makerPrice(side);
    const at = this.#time();
    const maker = this.#owner();
    const fills = Array.from({ length: random.between(1, 3) }, () => random.between(1, 60) * 5);
    const rest = random.chance(600) ? 0 : random.between(1, 40) * 5;
    const filled = fills.reduce((sum, fill) => sum + fill, 0);
    const partial = this.#book.open ? 'PartiallyFilled' : 'Expired';
    const makerId = this.#order(side, price, filled + rest, rest, rest === 0 ? 'Filled' : partial, maker, at);
    const other: Side = side === 'Buy' ? 'Sell' : 'Buy';
    for (const [number, size] of fills.entries()) {
      const when = Math.min(at + (number + 1) * random.between(1, 3_600), this.#book.base);
      const taker = this.#owner();
      const takerId = this.#order(other, price, size, 0, 'Filled', taker, when);
      this.#trade(maker, makerId, side, price, size, when);
      this.#trade(taker, takerId, other, price, size, when);
      const record = { signature: base58(random, 88), ttl: this.#book.base + 7 * day };
      this.records.push({ table: control, entity: idempotency, record });
    }
  }

  /** One position an owner who traded; call it last. */
  positions(): void {
    for (const holding of this.#holdings.values()) {
      const { owner, positionId, bought, paid, sold, received } = holding;
      const long = bought >= sold;
      const toAverage = 10n ** BigInt(averageScale - priceScale);
      const average = long ? divideRounded(paid * toAverage, bought) : divideRounded(received * toAverage, sold);
      this.records.push({
        table: marketPositions,
        entity: marketPosition,
        record: {
          id: positionId,
          owner,
          marketId: this.#book.marketId,
          size: decimalText(bought - sold, 0),
          avgPrice: decimalText(average, averageScale),
          createdAt: spellTime(holding.first, 'iso'),
          updatedAt: spellTime(holding.last, 'iso'),
        },
      });
    }
  }

  #order(side: Side, price: number, size: number, remaining: number, status: string, owner: string, at: number): string {
    this.#orders += 1;
    const { marketId } = this.#book;
    const id = `${marketId}:order:${String(this.#orders).padStart(5, '0')}`;
    const record = {
      id,
      marketId,
      side,
      price: decimalText(BigInt(price), priceScale),
      size,
      remaining,
      status,
      owner,
      createdAt: spellTime(at, 'iso'),
    };
    this.records.push({ table: marketOrders, entity: marketOrder, record });
    return id;
  }

  #trade(owner: string, orderId: string, side: Side, price: number, size: number, at: number): void {
    this.#trades += 1;
    const { marketId } = this.#book;
    const holding = this.#holdingOf(owner, at);
    const value = BigInt(price) * BigInt(size);
    if (side === 'Buy') {
      holding.bought += BigInt(size);
      holding.paid += value;
    } else {
      holding.sold += BigInt(size);
      holding.received += value;
    }
    const record = {
      id: `${marketId}:trade:${String(this.#trades).padStart(5, '0')}`,
      marketId,
      positionId: holding.positionId,
      orderId,
      side,
      price: decimalText(BigInt(price), priceScale),
      size,
      createdAt: spellTime(at, 'iso'),
    };
    this.records.push({ table: trades, entity: trade, record });
  }

  #holdingOf(owner: string, at: number): Holding {
    const known = this.#holdings.get(owner);
    const positionId = `${this.#book.marketId}:pos:${String(this.#holdings.size + 1).padStart(4, '0')}`;
    const holding = known ?? { owner, positionId, bought: 0n, paid: 0n, sold: 0n, received: 0n, first: at, last: at };
    holding.first = Math.min(holding.first, at);
    holding.last = Math.max(holding.last, at);
    this.#holdings.set(owner, holding);
    return holding;
  }

  /** Most of the depth lies near the middle. */
  #makerPrice(side: Side): number {
    const distance = 1 + Math.min(this.#random.below(300), this.#random.below(300), this.#random.below(300));
    return side === 'Buy' ? Math.max(1, this.#book.middle - distance) : this.#book.middle + distance;
  }

  #owner(): string {
    return this.#book.owners[this.#random.place(ownerWeights)] ?? '';
  }

  #time(): number {
    return this.#random.between(this.#book.createdAt, this.#book.base);
  }
}
