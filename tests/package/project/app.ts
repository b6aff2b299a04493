import { openReader, openWriter, type RecordNamed } from 'tablewright';
import { parcel } from './tables/parcels.ts';
import project from './tablewright.config.ts';

export type Waiting = RecordNamed<typeof project, 'shop.parcels.byState'>;

export async function main(endpoint: string): Promise<readonly string[]> {
  const place = { stack: 'dev', region: 'eu-central-1', endpoint };
  const reader = openReader(project, { ...place, follow: 'query' });
  const writer = openWriter(project, place);
  await writer.put(parcel, { id: 'p3', city: 'Bern', state: 'waiting', at: '2026-01-03T00:00:00Z' });
  const ids: string[] = [];
  for await (const { id } of reader.read('shop.parcels.byCity', { city: 'Bern' })) ids.push(id);
  // @ts-expect-error: there is no such pattern
  if (ids.length > 99) reader.read('shop.parcels.byOwner', {});
  // @ts-expect-error: a state that no parcel has
  if (ids.length > 99) reader.read('shop.parcels.byState', { state: 'lost' });
  // @ts-expect-error: not of this record
  if (ids.length > 99) console.log((await reader.first('shop.parcels.byId', { id: 'p1' }))?.weight);
  await reader.close();
  await writer.close();
  return ids;
}

const [, , endpoint] = process.argv;
if (endpoint !== undefined) void main(endpoint).then((ids) => console.log(ids.join(' ')));
