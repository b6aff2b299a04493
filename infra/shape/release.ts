import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogueOf } from '../../tables/model/project.ts';
import project from '../../tablewright.config.ts';
import { afterRelease, waitingTtls } from './after-release.ts';
import { allowListName } from './guard.ts';
import { namesName, readShapes, releasedName } from './read-shapes.ts';
import { shapeOf } from './shape.ts';
import { stackNames } from './stack-names.ts';

/** Records the catalogue as released, and empties the allow list: what it allowed has happened. */
const root = new URL('../../', import.meta.url);
const place = (name: string) => new URL(`${project.shapes}/${name}`, root);
const current = shapeOf(catalogueOf(project));
const recorded = afterRelease(readShapes(project, fileURLToPath(root)).released, current);
writeFileSync(place(releasedName), `${JSON.stringify(recorded, null, 2)}\n`);
writeFileSync(place(allowListName), '[]\n');
writeFileSync(place(namesName), `${JSON.stringify(stackNames(root, catalogueOf(project)), null, 2)}\n`);
for (const [name, ttl] of waitingTtls(recorded, current)) {
  process.stdout.write(
    `${name}: its TTL is off now. An hour after the deployment run 'npx pulumi up' for every stack, which switches it on for ${ttl}, then 'npm run release-shape' again.\n`,
  );
}
