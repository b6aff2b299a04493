import { type Contender, numbers } from './contender.ts';
import { plainOrder } from './items.ts';
import { peerClient } from './peer-client.ts';

interface Put {
  go(options: { concurrent: number }): Promise<{ unprocessed: unknown[] }>;
}
type ElectroModule = { Entity: new (schema: object, options: object) => { put(items: object[]): Put } };

function schemaOf(sample: Record<string, unknown>): object {
  const attributes = Object.entries(sample).map(([name, value]) => [name, { type: typeof value }]);
  const index = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the peer's own template syntax
    pk: { field: 'PK', composite: ['PK'], template: '${PK}' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    sk: { field: 'SK', composite: ['SK'], template: '${SK}' },
  };
  return {
    model: { entity: 'order', version: '1', service: 'oms' },
    attributes: Object.fromEntries(attributes),
    indexes: { primary: index },
  };
}

/** A bulk put of its entity. What is unprocessed is handed back to the caller; the call itself does not write it. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count, concurrency }) {
    const peer = 'electrodb';
    const { Entity } = (await import(peer)) as ElectroModule;
    const items = numbers(from, count).map(plainOrder);
    const entity = new Entity(schemaOf(plainOrder(0)), { client: peerClient(endpoint), table });
    return async () => {
      await entity.put(items).go({ concurrent: concurrency });
    };
  },
};
