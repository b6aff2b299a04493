import { writeFileSync } from 'node:fs';
import { catalogueOf } from '../../tables/model/project.ts';
import project from '../../tablewright.config.ts';
import { afterRelease, waitingTtls } from './after-release.ts';
import { releasedShape } from './released.ts';
import { shapeOf } from './shape.ts';

/** Records the catalogue as released, and empties the allow list: what it allowed has happened. */
const place = (name: string) => new URL(`../../tables/${name}`, import.meta.url);
const current = shapeOf(catalogueOf(project));
const recorded = afterRelease(releasedShape, current);
writeFileSync(place('released-shape.json'), `${JSON.stringify(recorded, null, 2)}\n`);
writeFileSync(place('allowed-changes.json'), '[]\n');
for (const [name, ttl] of waitingTtls(recorded, current)) {
  process.stdout.write(
    `${name}: its TTL is off now. An hour after the deployment run 'npx pulumi up' for every stack, which switches it on for ${ttl}, then 'npm run release-shape' again.\n`,
  );
}
