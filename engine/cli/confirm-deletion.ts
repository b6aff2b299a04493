import { TablewrightError } from '../../tables/model/error.ts';
import type { Context } from './context.ts';

/** Before data is deleted for good somebody has to say so, at the terminal or by `--yes`. `what` says how much of what. */
export async function confirmDeletion(
  { ask, signal }: Pick<Context, 'ask' | 'signal'>,
  yes: boolean,
  what: string,
): Promise<void> {
  if (yes) return;
  const answer = ask === undefined ? '' : await ask(`${what} Type yes to go on: `, signal);
  if (answer.trim().toLowerCase() === 'yes') return;
  const found = ask === undefined ? 'there is no terminal to ask on' : `found ${JSON.stringify(answer.trim())}`;
  throw new TablewrightError('NOT_CONFIRMED', `${what} Expected yes as confirmation, and ${found}`, {
    next: 'Nothing was deleted. Type yes when asked, or give --yes.',
  });
}
