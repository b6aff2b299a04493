import { showSecond } from '../../core/show/times.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import type { Action } from '../context.ts';
import { countsText } from '../migrate/migrate-renderer.ts';
import { openWhatLoads } from '../migrate/open-migrations.ts';
import { resolveKnown } from '../migrate/resolve-id.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './history.spec.js';

/** Dead letters that are listed; all are in the file. */
const maxShownDead = 20;

const columns: readonly Column[] = [
  { title: 'when (UTC)' },
  { title: 'what', rank: 0 },
  { title: 'who', rank: 2, least: 12 },
  { title: 'token', rank: 3 },
  { title: 'detail', rank: 1, least: 20 },
];

const history: Action<typeof spec> = async (context, given) => {
  await using command = await openWhatLoads(context);
  const id = await resolveKnown(command, given.migration);
  const reader = new LedgerReader(command.environment);
  const [state, events, dead] = await Promise.all([reader.state(id), reader.history(id), reader.dead(id)]);
  context.output.result({ migration: id, state: state ?? null, events, dead }, (page) => {
    if (state === undefined && events.length === 0) return `${id} was never run on this stack.`;
    const rows = events.map(({ at, kind, who, host, token, detail }) => [showSecond(at), kind, `${who}@${host}`, token, detail]);
    return [
      ...(state === undefined
        ? []
        : [
            `${id}: ${state.state}`,
            `  ${countsText(state.counts)}`,
            `  source ${state.checksum.slice(0, 12)}, commit ${state.commit?.slice(0, 12) ?? 'unknown'}`,
            '',
          ]),
      renderTable(page, columns, rows),
      ...(dead.length === 0 ? [] : ['', `Dead letters (${dead.length}):`]),
      ...dead.slice(0, maxShownDead).map(({ shownKey, reason }) => `  ${shownKey}: ${reason}`),
    ].join('\n');
  });
  return 0;
};

export default history;
