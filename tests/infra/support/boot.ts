import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type Recording, startMonitor } from '../../../infra/boot/monitor.ts';
import { answer, createdState } from './fake-aws.ts';
import { encodeConfig, type Settings } from './stack-file.ts';

export interface Boot extends Recording {
  readonly exitCode: number | null;
  /** What the process printed; Pulumi would show it to the user. */
  readonly printed: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A program that takes longer hangs. Alone it takes nine seconds; a busy machine may need several times that. */
const longestRunMs = 150_000;

/** For the suites that wait for both stacks. */
export const bootTimeoutMs = 2 * longestRunMs;

/** Runs the program, or another one, as the Pulumi CLI would: by Pulumi's own entry point, in a process of its own, over gRPC. */
export async function boot(stack: string, settings: Settings, program?: string, folder = root): Promise<Boot> {
  const monitor = await startMonitor({ answer, created: createdState }, { project: project.name, stack });
  let child: ChildProcess | undefined;
  try {
    child = start(stack, monitor.address, settings, { folder, program: program ?? project.main });
    const chunks: string[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    const [exitCode] = (await once(child, 'close', { signal: AbortSignal.timeout(longestRunMs) })) as [number | null];
    return { ...monitor.recording, exitCode, printed: chunks.join('') };
  } finally {
    if (child?.exitCode === null) child.kill('SIGKILL');
    monitor.close();
  }
}

interface ProjectFile {
  readonly name: string;
  readonly main: string;
  readonly runtime: { readonly name: string; readonly options: { readonly typescript: boolean; readonly nodeargs: string } };
}

export const project = parse(readFileSync(join(root, 'Pulumi.yaml'), 'utf8')) as ProjectFile;

/** The arguments that the CLI derives from Pulumi.yaml: it goes to the folder of the main file and runs it there. */
function start(
  stack: string,
  address: string,
  settings: Settings,
  { folder, program }: { readonly folder: string; readonly program: string },
): ChildProcess {
  const main = join(folder, program);
  // The project's own, as the CLI takes it.
  const entry = join(folder, 'node_modules/@pulumi/pulumi/cmd/run');
  const flags = ['--monitor', address, '--engine', address, '--project', project.name, '--stack', stack];
  const places = ['--pwd', dirname(main), '--root-directory', folder, '--dry-run', basename(main)];
  return spawn(process.execPath, [...project.runtime.options.nodeargs.split(' '), entry, ...flags, ...places], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PULUMI_CONFIG: JSON.stringify(encodeConfig(settings)), PULUMI_CONFIG_SECRET_KEYS: '[]' },
  });
}
