import type { Item } from '../../tables/model/attribute-value.ts';

const text = (value: string) => ({ S: value });

/** Products of the OMS as they were before the index existed, with what `more` adds to each. */
export function bareProducts(count: number, more: (at: number) => Item = () => ({})): readonly Item[] {
  return Array.from({ length: count }, (_, at) => ({
    PK: text(`PRODUCT#p${at}`),
    SK: text('CONFIG'),
    entity_type: text('PRODUCT'),
    product_id: text(`p${at}`),
    name: text(`Product ${at}`),
    status: text('ACTIVE'),
    ...more(at),
  }));
}
