import { expect } from 'chai';
import type { TransactAnswer, TransactRequest } from '../../../engine/core/store/store.ts';
import { putEntry } from '../../../engine/core/store/transact-entry.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { transact } from '../../../engine/run/store/transact.ts';
import { TablewrightError } from '../../../tables/model/error.ts';

type Told = TransactAnswer | 'lost' | 'refused';

const conflict: TransactAnswer = { done: false, reasons: ['TransactionConflict'] };
const request = () => ({ TransactItems: [putEntry('t', { id: { S: '1' } })] });

/** A store that answers so, one time after the other, and the tokens that it was sent. */
function telling(...answers: readonly Told[]) {
  const tokens: (string | undefined)[] = [];
  const store = {
    transact: async ({ ClientRequestToken }: TransactRequest): Promise<TransactAnswer> => {
      const told = answers[tokens.length] ?? { done: true };
      tokens.push(ClientRequestToken);
      if (typeof told === 'object') return told;
      const unsent = told === 'refused' ? ({ unsent: true } as const) : {};
      throw new TablewrightError('STORE_FAILED', told, { repeatable: { cause: 'connection', tries: 1, what: told, ...unsent } });
    },
  };
  const context = { store, writeGates: unlimitedGates(), sleep: async () => undefined, random: () => 0.5 };
  return { tokens, run: (token?: string) => transact(context, request, { token }) };
}

/** By order of their first use. */
const numbered = (tokens: readonly (string | undefined)[]) => tokens.map((token) => tokens.indexOf(token));

describe('the token of a transaction', () => {
  it('stays when an answer was lost, also past a conflict: the lost one may be carried out later, and then counts', async () => {
    const { tokens, run } = telling('lost', conflict, 'lost', conflict);
    expect(await run()).to.deep.equal({ done: true });
    expect(numbered(tokens)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('is another after an answer, when every try before it was answered or met nobody', async () => {
    const { tokens, run } = telling('refused', conflict, conflict);
    expect(await run()).to.deep.equal({ done: true });
    expect(numbered(tokens)).to.deep.equal([0, 0, 2, 3]);
  });

  it('is the caller’s own whatever comes', async () => {
    const { tokens, run } = telling(conflict, 'lost', conflict);
    expect(await run('mine')).to.deep.equal({ done: true });
    expect(new Set(tokens)).to.deep.equal(new Set(['mine']));
  });
});
