import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterRelease, waitingTtls } from '../../../tables/model/shape/after-release.ts';
import {
  allowListName,
  namesName,
  readReleased,
  releaseCommand,
  releasedName,
} from '../../../tables/model/shape/released-files.ts';
import { type CatalogueShape, shapeOf } from '../../../tables/model/shape/shape.ts';
import { namesOf, type ReleasedNames } from '../../../tables/model/shape/table-names.ts';
import { plural } from '../../core/show/numbers.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { writeFile } from '../../local/write-file.ts';
import type { Action, Context } from '../context.ts';
import { readStack, stackFiles } from '../read-stack.ts';
import type spec from './shape-release.spec.js';

const shapeRelease: Action<typeof spec> = async (context) => {
  const { root, project, catalogue, output } = context;
  const place = (name: string) => join(project.shapes, name);
  const current = shapeOf(catalogue);
  const before = await readShape(root, place(releasedName));
  const recorded = afterRelease(before, current);
  const names = await namesOfStacks(context);
  await makeFolder(join(root, project.shapes));
  // The list last: killed before, the next deployment says that it allows a change which has happened.
  const contents = { [releasedName]: recorded, [namesName]: names, [allowListName]: [] };
  for (const [name, content] of Object.entries(contents)) {
    await writeFile(join(root, place(name)), `${JSON.stringify(content, null, 2)}\n`);
  }
  const changes = changesOf(before, recorded);
  const waiting = waitingTtls(recorded, current).map(([table, ttl]) => ({ table, ttl }));
  const result = {
    files: Object.keys(contents).map(place),
    tables: catalogue.length,
    changes,
    stacks: Object.keys(names),
    waiting,
  };
  output.result(result, () => describe(result));
  return 0;
};

interface Result {
  readonly files: readonly string[];
  readonly tables: number;
  readonly changes: Changes;
  readonly stacks: readonly string[];
  readonly waiting: readonly { readonly table: string; readonly ttl: string }[];
}

interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

function changesOf(before: CatalogueShape, after: CatalogueShape): Changes {
  const names = Object.keys(after);
  return {
    added: names.filter((name) => before[name] === undefined),
    changed: names.filter((name) => before[name] !== undefined && JSON.stringify(before[name]) !== JSON.stringify(after[name])),
    gone: Object.keys(before).filter((name) => after[name] === undefined),
  };
}

function describe({ files, tables, changes, stacks, waiting }: Result): string {
  const [shape, names, allowed] = files;
  const told = Object.entries(changes).flatMap(([word, found]: [string, readonly string[]]) =>
    found.length === 0 ? [] : [`${word}: ${found.join(', ')}`],
  );
  return [
    `${shape}: ${plural(tables, 'table')}${told.length === 0 ? ', as before' : `; ${told.join('; ')}`}`,
    `${names}: ${stacks.length === 0 ? 'no stack has a file' : stacks.join(', ')}`,
    `${allowed}: empty`,
    ...waiting.map(
      ({ table, ttl }) =>
        `${table}: its TTL is off now. An hour after the deployment run 'npx pulumi up' for every stack, which switches it on for ${ttl}, then '${releaseCommand}' again.`,
    ),
    '→ Commit the three files.',
  ].join('\n');
}

async function readShape(root: string, path: string): Promise<CatalogueShape> {
  const text = await readFile(join(root, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return (readReleased(path, text) ?? {}) as CatalogueShape;
}

/** Of every stack that has a file; those of short-lived stacks are nobody's to keep. */
async function namesOfStacks({ root, catalogue, project }: Context): Promise<ReleasedNames> {
  const named: [string, ReleasedNames[string]][] = [];
  for (const stack of await stackFiles(root)) {
    const config = await readStack(stack, root, catalogue, project);
    if (!config.ephemeral) named.push([stack, namesOf(config, catalogue)]);
  }
  return Object.fromEntries(named);
}

export default shapeRelease;
