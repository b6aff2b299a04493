import { is, openReader, openWriter, text, window } from 'tablewright';
import { deployTables } from 'tablewright/pulumi';
import { openTestBed } from 'tablewright/testing';
import { parcel, parcels } from './tables/parcels.ts';
import project from './tablewright.config.ts';

/** What a team's own package may give to others: whatever is inferred here must be nameable by what this package exports. */
const place = { stack: 'dev', region: 'eu-central-1' };
export const reader = openReader(project, place);
export const writer = openWriter(project, place);
export const { put, update, remove, together } = writer;
export const byCity = parcels.patterns.byCity;
export const inBern = () => reader.page('shop.parcels.byCity', { city: 'Bern' });
export const send = (id: string) => writer.update(parcel, { id }, () => ({ state: 'sent' }));
export const sendUnlessSent = (id: string) =>
  writer.update(parcel, { id }, ({ state }) => (state === 'sent' ? undefined : { state: 'sent' }));
export const sendLater = (id: string) =>
  writer.update(parcel, { id }, async ({ state }) => (state === 'sent' ? undefined : { state: 'sent' }));
// @ts-expect-error there is no such state
export const lose = (id: string) => writer.update(parcel, { id }, () => ({ state: 'lost' }));
export const kinds = { ...parcel.schema.shape, note: text().optional() };
export const conditions = [is('CITY', 'CITY#{city}'), window('CITY_AT', { from: '{from}', to: '{to}' })];
export const openBed = () => openTestBed(project);
export const environment = async () => (await openBed()).environment;
export const deploy = () => deployTables(project);
