import { writeFileSync } from 'node:fs';
import { tables } from '../../tables/tables.ts';
import { shapeOf } from './shape.ts';

/** Records the catalogue as released, and empties the allow list: what it allowed has happened. */
const place = (name: string) => new URL(`../../tables/${name}`, import.meta.url);
writeFileSync(place('released-shape.json'), `${JSON.stringify(shapeOf(tables), null, 2)}\n`);
writeFileSync(place('allowed-changes.json'), '[]\n');
