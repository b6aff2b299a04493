/**
 * An application that goes on writing and reading while its index is moved:
 * RELEASE=2 npx tsx examples/natural-keys/live.ts single ENDPOINT TICKETS FIRST_NEW_TICKET YEAR PAUSE_MS
 * It ends with SIGTERM, and says what it did. A reader that gets another answer than it has to is counted.
 */
import { openReader, openWriter, type Project, TablewrightError, type WriteOutcome } from 'tablewright';
import { idOf, isQuiet, type Keys, quietTeams, ticketOf } from './desk.ts';

const [, , keys = 'single', endpoint = '', count = '0', firstNew = count, year = '2022', pauseMs = '5'] = process.argv as [
  string,
  string,
  Keys,
  string,
  string,
  string?,
  string?,
  string?,
];
const { default: project } = (await import(`./${keys}/tablewright.config.ts`)) as { readonly default: Project };
const { ticket } = (await import(`./${keys}/tables.ts`)) as typeof import('./single/tables.ts');
const place = { stack: 'dev', region: 'us-east-1', endpoint };
const writer = openWriter(project, place);
// A second is what a change of state takes to reach this reader.
const reader = openReader(project, { ...place, refreshMs: 1_000 });
const did = {
  created: 0,
  changed: 0,
  removed: 0,
  refused: 0,
  reads: 0,
  begunAnew: 0,
  unsure: 0,
  wrong: [] as string[],
  failures: [] as string[],
  next: Number(firstNew),
};
let stopped = false;
process.on('SIGTERM', () => {
  stopped = true;
});

function noted(kind: 'created' | 'changed' | 'removed', { outcome }: WriteOutcome): void {
  did[outcome === 'applied' ? kind : 'refused'] += 1;
}

async function write(version: number): Promise<void> {
  const number = Math.floor(Math.random() * Number(count));
  const written = (at: number) => ticketOf(keys, at, { version, year: Number(year) }) as never;
  const chance = Math.random();
  // Quiet teams get no new ticket either.
  while (isQuiet(did.next)) did.next += 1;
  if (chance < 0.3) {
    noted('created', await writer.put(ticket, written(did.next)));
    did.next += 1;
  } else if (isQuiet(number)) return;
  else if (chance < 0.9) {
    const { id: _id, createdAt: _createdAt, ...changes } = written(number) as { readonly id: string; readonly createdAt: string };
    noted('changed', await writer.update(ticket, { id: idOf(number) } as never, () => changes as never));
  } else {
    let found: unknown;
    await writer.update(ticket, { id: idOf(number) } as never, (record) => {
      found = record;
      return undefined;
    });
    if (found !== undefined) noted('removed', await writer.remove(ticket, found as never));
  }
}

const read = reader as unknown as {
  page(
    name: string,
    params: object,
    options: object,
  ): Promise<{ readonly records: readonly { readonly id: string }[]; readonly cursor?: string }>;
};

/** A whole list of a quiet team, page by page: whichever index answers, and wherever it is switched, the records are the same. */
async function readQuiet(team: string, known: Map<string, readonly string[]>): Promise<void> {
  const params = keys === 'single' ? { team } : { team, state: 'open' };
  const ids: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await read.page('desk.tickets.ofTeam', params, { size: 100, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.records.map(({ id }) => id));
    cursor = page.cursor;
  }
  const expected = known.get(team) ?? ids;
  known.set(team, expected);
  did.reads += 1;
  if (ids.join() !== expected.join()) did.wrong.push(`${team}: ${difference(expected, ids)}`);
}

/** Says what is wrong with a list: records that it lacks, has too often, or has elsewhere. */
function difference(expected: readonly string[], found: readonly string[]): string {
  const lacking = expected.filter((id) => !found.includes(id));
  const added = found.filter((id, at) => !expected.includes(id) || found.indexOf(id) !== at);
  const at = expected.findIndex((id, place) => found[place] !== id);
  return `expected ${expected.length} tickets, found ${found.length}; without ${lacking.slice(0, 3)}, also ${added.slice(0, 3)}, other from place ${at}`;
}

async function loop(work: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 1; !stopped; turn += 1) {
    await work(turn).catch((error: unknown) => {
      // After a rollback a list that was begun in the new index is begun anew: that is what a rollback is for.
      const code = error instanceof TablewrightError ? error.code : undefined;
      if (code === 'BAD_CURSOR') did.begunAnew += 1;
      // DynamoDB Local takes no write while an index is made or dropped: on a slow machine longer than a writer tries.
      else if (code === 'OUTCOME_UNKNOWN') did.unsure += 1;
      else did.failures.push(String(error));
    });
    await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
  }
}

process.stdout.write('started\n');
const known = new Map<string, readonly string[]>();
await Promise.all([loop(write), loop((turn) => readQuiet(`team-${turn % quietTeams}`, known))]);
await reader.close();
await writer.close();
process.stdout.write(`${JSON.stringify(did)}\n`);
