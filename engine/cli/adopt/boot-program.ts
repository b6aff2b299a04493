import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { TablewrightError } from '../../../tables/model/error.ts';
import { type BootRequest, type ListedResource, readBootAnswer } from '../../../tables/model/stack/boot-request.ts';
import { projectName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { parseStackFile } from '../stack-file.ts';

/** Runs beside the command, never in it: the command line imports nothing of Pulumi. */
const lister = fileURLToPath(new URL('../../../infra/boot/list-resources.ts', import.meta.url));

/** Stands for an account that the stack's file does not name: nothing that is imported has it in its name. */
const anyAccount = '000000000000';

/** What the project's Pulumi program registers for a stack, by a run of it that deploys nothing. */
export async function bootProgram(root: string, config: StackConfig, signal: AbortSignal): Promise<readonly ListedResource[]> {
  const request = await bootRequest(root, config);
  const child = spawn(process.execPath, ['--import', 'tsx', lister, JSON.stringify(request)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const printed: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  await once(child, 'close');
  const answer = readBootAnswer(printed.join(''));
  if (answer !== undefined && answer.failure === undefined) return answer.resources;
  const lines = (answer?.failure ?? printed.join('')).split('\n').filter((line) => line.trim() !== '');
  throw new TablewrightError('BAD_CONFIG', `the Pulumi program of the stack ${config.stack} does not run`, {
    problems: lines.slice(0, 20),
    next: `Correct what it says; 'npx pulumi preview -s ${config.stack}' runs it, too.`,
  });
}

async function bootRequest(root: string, { stack, region, account = anyAccount }: StackConfig): Promise<BootRequest> {
  const project = await readProject(root);
  const file = `Pulumi.${stack}.yaml`;
  const { config } = parseStackFile(file, await readFile(join(root, file)));
  const encoded = Object.entries(config).map(([name, value]) => {
    return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const;
  });
  return { root, ...project, stack, region, account, config: Object.fromEntries(encoded) };
}

/** How Pulumi runs the program: from its project file. */
async function readProject(root: string): Promise<Pick<BootRequest, 'main' | 'project' | 'nodeArguments'>> {
  const text = await readFile(join(root, 'Pulumi.yaml'), 'utf8');
  const { name, main, runtime } = parse(text) as {
    readonly name?: string;
    readonly main?: string;
    readonly runtime?: { readonly options?: { readonly nodeargs?: string } };
  };
  const given = runtime?.options?.nodeargs?.split(/\s+/).filter((word) => word !== '') ?? [];
  return { project: name ?? projectName, main: main ?? 'index.ts', nodeArguments: given };
}
