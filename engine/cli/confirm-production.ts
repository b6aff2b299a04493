import { TablewrightError } from '../../tables/model/error.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Context } from './context.ts';

/** On a production stack the name of the stack has to be typed, unless `--yes` was given. */
export async function confirmProduction(
  { ask, signal }: Pick<Context, 'ask' | 'signal'>,
  config: Pick<StackConfig, 'production' | 'stack'>,
  yes: boolean,
  what: string,
): Promise<void> {
  if (!config.production || yes) return;
  const question = `${what} on the production stack ${config.stack}. Type its name to go on: `;
  const answer = ask === undefined ? '' : await ask(question, signal);
  if (answer.trim() === config.stack) return;
  const found = ask !== undefined ? `found ${JSON.stringify(answer.trim())}` : 'and there is no terminal to ask on';
  throw new TablewrightError('REFUSED_IN_PRODUCTION', `${what}: expected the stack's name as confirmation, ${found}`, {
    next: `Nothing was changed. Type ${config.stack} when asked, or give --yes.`,
  });
}
