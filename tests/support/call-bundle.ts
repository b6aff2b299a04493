import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';

/** What Lambda's runtime does with a bundle: imports the module, calls the handler with the event and a deadline. */
const runtime = `
import { handler } from './index.mjs';
const [event, ms] = process.argv.slice(2);
const end = Date.now() + Number(ms);
try {
  const result = await handler(JSON.parse(event), { getRemainingTimeInMillis: () => end - Date.now() });
  console.log('RESULT ' + JSON.stringify(result));
} catch (error) {
  console.log('ERROR ' + JSON.stringify({ name: error.name, code: error.code, message: error.message }));
}
process.exit(0);
`;

export interface Called {
  readonly result: unknown;
  readonly error: { readonly name?: string; readonly code?: string; readonly message?: string } | undefined;
  readonly printed: string;
}

/** Lays a bundle out as Lambda does, in a folder that has nothing else. */
export async function unpackBundle(zip: Uint8Array, task: string): Promise<void> {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) await writeFile(join(task, name), bytes);
  await writeFile(join(task, 'run.mjs'), runtime);
}

/** One call of it, in a process that has the bundle's files and no others. */
export async function callBundle(
  task: string,
  event: unknown,
  remainingMs: number,
  environment: Readonly<Record<string, string>>,
): Promise<Called> {
  const child = spawn(process.execPath, ['run.mjs', JSON.stringify(event), String(remainingMs)], {
    cwd: task,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', HOME: task, LAMBDA_TASK_ROOT: task, AWS_REGION: 'us-east-1', ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  await once(child, 'close');
  const of = (mark: string) =>
    printed
      .split('\n')
      .find((line) => line.startsWith(mark))
      ?.slice(mark.length);
  const [result, error] = [of('RESULT '), of('ERROR ')];
  return {
    result: result === undefined ? undefined : JSON.parse(result),
    error: error === undefined ? undefined : (JSON.parse(error) as Called['error']),
    printed,
  };
}
