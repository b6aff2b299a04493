import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { projectName } from '../../../tables/stack-config.ts';
import { type Recording, startMonitor } from './monitor.ts';
import { encodeConfig, type Settings } from './stack-file.ts';

export interface Boot extends Recording {
  readonly exitCode: number | null;
  /** What the process printed; Pulumi would show it to the user. */
  readonly printed: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const entry = fileURLToPath(new URL('../../../node_modules/@pulumi/pulumi/cmd/run', import.meta.url));

/** A program that takes longer hangs. */
const longestRunMs = 50_000;

/** Runs the program as the Pulumi CLI would: by Pulumi's own entry point, in a process of its own, over gRPC. */
export async function boot(stack: string, settings: Settings): Promise<Boot> {
  const monitor = await startMonitor();
  let child: ChildProcess | undefined;
  try {
    child = start(stack, monitor.address, settings);
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

function start(stack: string, address: string, settings: Settings): ChildProcess {
  const flags = ['--monitor', address, '--engine', address, '--project', projectName, '--stack', stack];
  const places = ['--pwd', `${root}infra`, '--root-directory', root, '--dry-run', '.'];
  return spawn(process.execPath, ['--import', 'tsx', entry, ...flags, ...places], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PULUMI_CONFIG: JSON.stringify(encodeConfig(settings)), PULUMI_CONFIG_SECRET_KEYS: '[]' },
  });
}
