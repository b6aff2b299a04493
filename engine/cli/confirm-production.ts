import { createInterface } from 'node:readline/promises';
import { TablewrightError } from '../../tables/model/error.ts';
import type { StackConfig } from '../../tables/stack-config.ts';
import type { Context } from './context.ts';

/** On a production stack the name of the stack has to be typed, unless `--yes` was given. */
export async function confirmProduction(
  context: Pick<Context, 'signal'>,
  config: Pick<StackConfig, 'production' | 'stack'>,
  yes: boolean,
  what: string,
  terminal: boolean = process.stdin.isTTY === true,
): Promise<void> {
  if (!config.production || yes) return;
  const answer = terminal
    ? await ask(`${what} on the production stack ${config.stack}. Type its name to go on: `, context.signal)
    : '';
  if (answer.trim() === config.stack) return;
  const found = terminal ? `found ${JSON.stringify(answer.trim())}` : 'and there is no terminal to ask on';
  throw new TablewrightError('REFUSED_IN_PRODUCTION', `${what}: expected the stack's name as confirmation, ${found}`, {
    next: `Nothing was changed. Type ${config.stack} when asked, or give --yes.`,
  });
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question, { signal });
  } finally {
    terminal.close();
  }
}
