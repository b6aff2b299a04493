import { type GeneratedRecord, type Random, skewed } from '../../engine/author.ts';
import { client, omsConfig, product, setting } from '../../tables/oms/config.ts';

/** A product of the generated catalogue: price in cents. */
export interface VolumeProduct {
  readonly id: string;
  readonly symbol: string;
  readonly cents: bigint;
}

const tickers = 'BTC ETH SOL XRP BNB DOGE ADA AVAX LINK DOT LTC BCH UNI NEAR APT ARB OP FIL ATOM INJ'.split(' ');
const quotes = ['USDT', 'BRL'];

/** By rank: the first are traded most and cost most. */
export function productsOf(seed: number): readonly VolumeProduct[] {
  return quotes.flatMap((quote, at) =>
    tickers.map((ticker, rank) => ({
      id: `v${seed}_prod_${String(at * tickers.length + rank + 1).padStart(2, '0')}`,
      symbol: `${ticker}${quote}`,
      cents: (9_000_000n / BigInt((rank + 1) ** 2) + 37n) * (quote === 'BRL' ? 5n : 1n),
    })),
  );
}

export const productWeights = skewed(tickers.length * quotes.length);

const settings: readonly (readonly [name: string, value: string])[] = [
  ['trading_enabled', 'true'],
  ['max_order_notional', '5000000'],
  ['commission_basis_points', '10'],
  ['session_opens_at', '09:00'],
  ['session_closes_at', '18:00'],
];

/** What every other record stands on: products and settings. */
export function configRecords(seed: number): readonly GeneratedRecord[] {
  const products = productsOf(seed).map(({ id, symbol }) => ({
    table: omsConfig,
    entity: product,
    record: { product_id: id, name: `${symbol} à vista`, symbol, status: 'ACTIVE' },
  }));
  const values = settings.map(([name, value]) => ({
    table: omsConfig,
    entity: setting,
    record: { name: `v${seed}_${name}`, value },
  }));
  return [...products, ...values];
}

const kinds = ['Fundo', 'Gestora', 'Clube', 'Família', 'Mesa', 'Carteira'];
const places = ['Serra Azul', 'Ipanema', 'Araucária', 'Mantiqueira', 'Pampulha', 'Jacarandá', 'Atlântico', 'Cerrado', 'Igarapé'];

export function clientRecord(id: string, random: Random): GeneratedRecord {
  const name = `${random.pick(kinds)} ${random.pick(places)} ${random.between(1, 99)}`;
  const status = random.chance(970) ? 'ACTIVE' : 'BLOCKED';
  return { table: omsConfig, entity: client, record: { client_id: id, name, status } };
}
