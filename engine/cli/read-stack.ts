import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TablewrightError } from '../../tables/model/error.ts';
import type { Project } from '../../tables/model/project.ts';
import { badConfig, parseStackConfig, projectName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { nameAdvice } from '../core/show/name-advice.ts';
import { localStack } from './local-stack.ts';
import { parseStackFile } from './stack-file.ts';

/** The stack that the local one mirrors, names included. */
export const mirroredStack = 'dev';

/** The settings of a stack, from its Pulumi file. The local stack has dev's. */
export async function readStack(
  name: string,
  root: string,
  catalogue: readonly Table[],
  project: Pick<Project, 'name'>,
): Promise<StackConfig> {
  const stack = name === localStack ? mirroredStack : name;
  const file = `Pulumi.${stack}.yaml`;
  const bytes = await readFile(join(root, file)).catch((error: NodeJS.ErrnoException) => error);
  if (bytes instanceof Error) throw bytes.code === 'ENOENT' ? await unknownStack(stack, root) : unreadable(file, bytes);
  const { config, hasEnvironment } = parseStackFile(file, bytes);
  if (hasEnvironment) refuseUnseen(stack, config);
  return parseStackConfig(stack, config, catalogue, project.name);
}

/** Settings whose default would be dangerous where the environment of the stack says otherwise. */
const guards = ['aws:region', `${projectName}:production`];

/** What stands in the file goes before what an environment says, so with these two the file is enough. */
function refuseUnseen(stack: string, config: Readonly<Record<string, unknown>>): void {
  const unseen = guards.filter((name) => !Object.hasOwn(config, name));
  if (unseen.length === 0) return;
  const why = 'expected in the file itself, because the command line cannot ask the environment that the file names';
  throw badConfig(
    stack,
    unseen.map((name) => `${name}: ${why}`),
  );
}

/** The stacks that have a file in a folder, by name. `Pulumi.dev.deploy.yaml` holds settings of Pulumi Deployments, not a stack. */
export async function stackFiles(root: string): Promise<readonly string[]> {
  const files = await readdir(root);
  return files.flatMap((file) => /^Pulumi\.(.+)(?<!\.deploy)\.yaml$/.exec(file)?.[1] ?? []).toSorted();
}

async function unknownStack(stack: string, root: string): Promise<TablewrightError> {
  const known = await stackFiles(root).catch(() => []);
  return new TablewrightError('UNKNOWN_NAME', `there is no stack ${stack}: Pulumi.${stack}.yaml was not found in ${root}`, {
    next: `${nameAdvice(stack, ['local', ...known])} 'npx pulumi stack init ${stack}' makes a new one.`,
  });
}

function unreadable(file: string, error: NodeJS.ErrnoException): TablewrightError {
  return new TablewrightError('BAD_CONFIG', `${file} cannot be read (${error.code ?? error.message})`, {
    cause: error,
    next: `Check what ${file} is and who may read it.`,
  });
}
