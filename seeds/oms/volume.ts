import { fillCount, type GeneratedRecord, seededRandom, type Volume, weighted } from '../../engine/author.ts';
import { clientRecord, configRecords, productsOf } from './volume-config.ts';
import { type Trading, tradingRecords, waitingOrder } from './volume-trading.ts';

const day = 86_400;

/** Orders of a client: most have a few, a few have most. */
const sizes: readonly (readonly [least: number, most: number])[] = [
  [1, 5],
  [6, 25],
  [26, 120],
  [121, 500],
  [501, 1_500],
];
const sizeWeights = weighted([500, 300, 150, 45, 5]);
/** Streams of the random numbers, apart from those of the clients. */
const tailStream = 0xffff_ffff;

/** Products, settings, and client by client all that a client has. */
export const omsVolume: Volume = {
  freshSeconds: 9 * day,
  *generate({ count, seed, base }) {
    const config = configRecords(seed);
    yield* config.slice(0, count);
    const trading: Trading = { seed, base, products: productsOf(seed) };
    yield* fillCount(Math.max(0, count - config.length), {
      group: (number) => clientRecords(number, trading),
      tail: (room) => tailRecords(room, trading),
    });
  },
};

function clientRecords(number: number, trading: Trading): readonly GeneratedRecord[] {
  const random = seededRandom(trading.seed, number);
  const id = `v${trading.seed}_client_${String(number + 1).padStart(6, '0')}`;
  const [least, most] = sizes[random.place(sizeWeights)] ?? [1, 1];
  return [clientRecord(id, random), ...tradingRecords(id, random.between(least, most), random, trading)];
}

/** A client whose orders all wait: as many records as there is room for, and another client where one is left over. */
function tailRecords(room: number, trading: Trading): readonly GeneratedRecord[] {
  const random = seededRandom(trading.seed, tailStream);
  const id = `v${trading.seed}_client_waiting`;
  const orders = Array.from({ length: Math.floor((room - 1) / 2) }, (_, number) => waitingOrder(id, number, random, trading));
  const records = [clientRecord(id, random), ...orders.flat()];
  return records.length === room ? records : [...records, clientRecord(`${id}_too`, random)];
}
