import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import type { Action } from '../context.ts';
import { countsText } from '../migrate/migrate-renderer.ts';
import { openWhatLoads } from '../migrate/open-migrations.ts';
import { resolveKnown } from '../migrate/resolve-id.ts';
import { renderTable } from '../show/table.ts';
import type spec from './history.spec.js';

/** Dead letters that are listed; all are in the file. */
const maxShownDead = 20;

const history: Action<typeof spec> = async (context, given) => {
  await using command = await openWhatLoads(context);
  const id = await resolveKnown(command, given.migration);
  const reader = new LedgerReader(command.environment);
  const [state, events, dead] = await Promise.all([reader.state(id), reader.history(id), reader.dead(id)]);
  context.output.result({ migration: id, state: state ?? null, events, dead }, () => {
    if (state === undefined && events.length === 0) return `${id} was never run on this stack.`;
    const rows = events.map(({ at, kind, who, host, token, detail }) => [at, kind, `${who}@${host}`, token, detail]);
    return [
      ...(state === undefined
        ? []
        : [
            `${id}: ${state.state}`,
            `  ${countsText(state.counts)}`,
            `  source ${state.checksum.slice(0, 12)}, commit ${state.commit?.slice(0, 12) ?? 'unknown'}`,
            '',
          ]),
      renderTable(['when', 'what', 'who', 'token', 'detail'], rows),
      ...(dead.length === 0 ? [] : ['', `Dead letters (${dead.length}):`]),
      ...dead.slice(0, maxShownDead).map(({ shownKey, reason }) => `  ${shownKey}: ${reason}`),
    ].join('\n');
  });
  return 0;
};

export default history;
