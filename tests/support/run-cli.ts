import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { checkJsonLines } from './check-json-lines.ts';
import { withTestEngine } from './open-engine.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command in a folder, as a user does, and gives what it printed. */
export function runCli(
  cwd: string,
  args: readonly string[],
  options: { readonly bin?: string; readonly signal?: AbortSignal } = {},
): Promise<CliResult> {
  const bin = options.bin ?? `${repository}/engine/cli/bin.js`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...withTestEngine(args)], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.signal ? { signal: options.signal } : {}),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      try {
        // What was cut off may end in the middle of a line.
        if (code !== null) checkJsonLines(args, stdout, stderr);
        resolve({ code, stdout, stderr });
      } catch (error) {
        reject(error);
      }
    });
  });
}
