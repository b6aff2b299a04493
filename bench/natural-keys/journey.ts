import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeUnits } from '../../engine/core/capacity/write-units.ts';
import { fromJsonItem } from '../../engine/core/item/dynamo-json.ts';
import { itemBytes } from '../../engine/core/item/item-size.ts';
import type { EngineName } from '../../engine/local/choose-engine.ts';
import { startBed, type TestBed } from '../../engine/testing/test-bed.ts';
import { type Keys, ticketOf } from '../../examples/natural-keys/desk.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import type { Entity } from '../../tables/model/entity.ts';
import { catalogueOf, type Project } from '../../tables/model/project.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';

/** So that every part of the way is killed, not one of them all the time: eight parts, of which half are killed at least. */
const killedLegs = 4;

const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface JourneyOptions {
  readonly keys: Keys;
  readonly engine: EngineName;
  readonly items: number;
  /** How often the commands that migrate are killed on the way. */
  readonly kills: number;
  readonly random: () => number;
  /** Between two reads, and two writes, of the application. */
  readonly pauseMs: number;
  readonly log?: (line: string) => void;
}

/** What a part of the way took. */
export interface Leg {
  readonly what: string;
  readonly seconds: number;
  readonly kills: number;
}

export interface Figures {
  readonly legs: readonly Leg[];
  /** By migration: what its passes changed and consumed, as the ledger has it. */
  readonly migrations: readonly {
    readonly id: string;
    readonly changed: number;
    readonly read: number;
    readonly write: number;
  }[];
  /** Bytes of a record and units to write a million of them, with the made-up key and without. */
  readonly record: Readonly<Record<'madeUp' | 'natural', { readonly bytes: number; readonly items: number }>>;
  /** What DynamoDB writes to fill a new index, of the records as they were: not the migration's own. */
  readonly fill: Readonly<Record<'madeUp' | 'natural', number>>;
  /** Read units that a look at every record's key takes, and a proof of parity: neither is in a migration's own units. */
  readonly proof: Readonly<Record<'madeUp' | 'natural', { readonly check: number; readonly parity: number }>>;
  readonly live: LiveSum;
}

interface LiveSum {
  readonly writes: number;
  readonly reads: number;
  /** Lists that a rollback cut off, and that were begun again. */
  readonly begunAnew: number;
  /** Writes that the engine did not answer however often they were tried. */
  readonly unsure: number;
  readonly wrong: readonly string[];
  readonly failures: readonly string[];
}

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One project's way from made-up to natural keys and back, in five releases, beside an application that goes on. */
export class Journey {
  readonly #options: JourneyOptions;
  readonly #bed: TestBed;
  readonly #table: Table;
  readonly #legs: Leg[] = [];
  readonly #live = {
    writes: 0,
    reads: 0,
    begunAnew: 0,
    unsure: 0,
    wrong: [] as string[],
    failures: [] as string[],
  };
  #app: ChildProcess | undefined;
  #nextTicket: number;
  #stoppedAt = '';
  #killsLeft: number;
  /** The latest that a command is killed after its first word; halved by each that ended before. */
  #killWithinMs: number;

  private constructor(options: JourneyOptions, bed: TestBed, table: Table) {
    this.#options = options;
    this.#bed = bed;
    this.#table = table;
    this.#nextTicket = options.items;
    this.#killsLeft = options.kills;
    this.#killWithinMs = 500 + options.items / 4;
  }

  static async run(options: JourneyOptions): Promise<Figures> {
    const folder = `../../examples/natural-keys/${options.keys}`;
    const { default: project } = (await import(`${folder}/tablewright.config.ts`)) as { readonly default: Project };
    const { tickets, ticket } = (await import(`${folder}/tables.ts`)) as { readonly tickets: Table; readonly ticket: Entity };
    const tables = catalogueOf(project);
    const bed = await startBed({ tables, config: parseStackConfig('dev', {}, tables, project.name), engine: options.engine });
    const journey = new Journey(options, bed, tickets);
    try {
      const inputs = Array.from({ length: options.items }, (_, number) => ticketOf(options.keys, number));
      await bed.put(tickets, ticket, inputs as never);
      return await journey.#travel();
    } finally {
      await journey.#stopApp();
      await bed.close();
    }
  }

  async #travel(): Promise<Figures> {
    const before = await this.#measure();
    await this.#startApp(2);
    await this.#leg('readers move to natural attributes', 2, ['migrate', '--to', '0001']);
    await this.#leg('back by rollback, before the drop', 2, ['rollback', '--to', '0', '--yes']);
    await this.#leg('readers move again', 2, ['migrate', '--to', '0001']);
    await this.#compare(2);
    const natural = await this.#proof(2, 'ByTeam');
    await this.#startApp(2, 2023);
    await this.#leg('the made-up index is dropped', 3, ['migrate', '--to', '0002']);
    // The writer of the second release is still at work: nothing may be removed.
    await this.#refused('CHECK_FAILED', 3, ['migrate', '--to', '0003']);
    await this.#startApp(3, 2024);
    await this.#leg('made-up keys are taken out', 3, ['migrate', '--to', '0003']);
    await this.#refused('BAD_MIGRATION', 3, ['rollback', '--to', '0', '--yes']);
    await this.#compare(3);
    const between = await this.#measure();
    await this.#startApp(4, 2024);
    await this.#leg('back: keys are filled in, their index is made', 4, ['migrate', '--to', '0004']);
    await this.#leg('back: readers move', 4, ['migrate', '--to', '0005']);
    await this.#compare(4);
    const madeUp = await this.#proof(4, 'TicketsByTeam');
    await this.#startApp(5, 2024);
    await this.#leg('back: the natural index is dropped', 5, ['migrate', '--to', '0006']);
    await this.#compare(5);
    await this.#stopApp();
    return {
      legs: this.#legs,
      migrations: await this.#migrations(),
      record: { madeUp: before.record, natural: between.record },
      fill: { natural: before.units, madeUp: between.units },
      proof: { natural, madeUp },
      live: this.#live,
    };
  }

  /** Runs a command to its end, however often it is killed; the lock that a killed one leaves is taken away as a person would. */
  async #leg(what: string, release: number, args: readonly string[]): Promise<void> {
    const startedMs = performance.now();
    let kills = 0;
    for (;;) {
      const isKilled = this.#killsLeft > 0 && kills < this.#options.kills / killedLegs && this.#options.random() < 0.7;
      const answer = await this.#command(release, [...args, '--json'], isKilled ? this.#options.random() : undefined);
      if (answer.code === 0) {
        if (isKilled) this.#killWithinMs /= 2;
        break;
      }
      if (answer.code !== null) throw new Error(`${args.join(' ')}: exit ${answer.code}\n${answer.stdout}${answer.stderr}`);
      kills += 1;
      this.#killsLeft -= 1;
      await this.#command(release, ['unlock', '--force', '--yes']);
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    this.#legs.push({ what, seconds, kills });
    this.#options.log?.(`${what}: ${seconds.toFixed(1)} s, killed ${kills} times`);
  }

  /**
   * What a migration does once for each index that readers move to, again and by itself, for what it takes. Nobody writes meanwhile:
   * parity reads a list again for each look at a record that was just written, so that its units beside a writer are those of the writer.
   */
  async #proof(release: number, index: string) {
    const check = await this.#command(release, ['check', 'index', 'tickets', index, '--json', '--quiet']);
    const parity = await this.#command(release, ['cutover', 'check', 'desk.tickets.ofTeam', '--json', '--quiet']);
    const failed = [check, parity].find(({ code }) => code !== 0);
    if (failed !== undefined) throw new Error(`release ${release}, ${index}: ${failed.stdout}${failed.stderr}`);
    const { reports } = JSON.parse(parity.stdout) as { readonly reports: readonly { readonly units: number }[] };
    const units = {
      check: (JSON.parse(check.stdout) as { readonly units: number }).units,
      parity: reports.reduce((sum, report) => sum + report.units, 0),
    };
    this.#options.log?.(`${index}: ${units.check} read units to check, ${units.parity} for parity`);
    return units;
  }

  async #refused(code: string, release: number, args: readonly string[]): Promise<void> {
    const { code: exit, stderr, stdout } = await this.#command(release, args);
    if (exit !== 0 && stderr.includes(code)) return;
    throw new Error(`${args.join(' ')}: expected ${code}, found exit ${exit}\n${stdout}${stderr}`);
  }

  /** `fate`: killed that far into its work. It has begun with its first word; to be killed while it starts would prove nothing. */
  async #command(release: number, args: readonly string[], fate?: number): Promise<Answer> {
    const { keys } = this.#options;
    const child = spawn(process.execPath, [join(repository, 'engine/cli/bin.js'), ...args, '--endpoint', this.#bed.endpoint], {
      cwd: join(repository, 'examples/natural-keys', keys),
      env: { ...process.env, RELEASE: String(release), STOPPED_AT: this.#stoppedAt },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (fate !== undefined) timer ??= setTimeout(() => child.kill('SIGKILL'), fate * this.#killWithinMs);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    return { code, stdout, stderr };
  }

  /** The application of a release takes over from the one before. */
  async #startApp(release: number, year = 2022): Promise<void> {
    this.#stoppedAt = `${year}-01-01T00:00:00Z`;
    await this.#stopApp();
    const { keys, items, pauseMs } = this.#options;
    const args = [keys, this.#bed.endpoint, ...[items, this.#nextTicket, year, pauseMs].map(String)];
    const app = spawn(process.execPath, ['--import', 'tsx', 'examples/natural-keys/live.ts', ...args], {
      cwd: repository,
      env: { ...process.env, RELEASE: String(release) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#app = app;
    const lines = createInterface({ input: app.stdout });
    lines.on('line', (line) => {
      if (line.startsWith('{')) this.#takeIn(JSON.parse(line));
    });
    await once(lines, 'line');
  }

  async #stopApp(): Promise<void> {
    const app = this.#app;
    this.#app = undefined;
    if (app === undefined || app.exitCode !== null) return;
    app.kill('SIGTERM');
    await once(app, 'close');
  }

  #takeIn(
    did: Readonly<Record<'created' | 'changed' | 'removed' | 'reads' | 'begunAnew' | 'unsure' | 'next', number>> &
      Pick<LiveSum, 'wrong' | 'failures'>,
  ): void {
    this.#live.writes += did.created + did.changed + did.removed;
    this.#live.reads += did.reads;
    this.#live.begunAnew += did.begunAnew;
    this.#live.unsure += did.unsure;
    this.#live.wrong.push(...did.wrong);
    this.#live.failures.push(...did.failures);
    this.#nextTicket = did.next;
  }

  /** While nobody writes (the application is stopped), a team's tickets as the pattern gives them are those that the table has, in their order. */
  async #compare(release: number): Promise<void> {
    await this.#stopApp();
    // A team that is written to; the application itself compares those that are not, all the time.
    const team = 'team-9';
    const wanted = this.#answer(await this.#items(), team);
    const asked = this.#options.keys === 'single' ? [`team=${team}`] : [`team=${team}`, 'state=open'];
    const { stdout, stderr } = await this.#command(release, ['query', 'desk.tickets.ofTeam', ...asked, '--json']);
    const found = [...stdout.matchAll(/"id":\s*"(t\d+)"/g)].map(([, id]) => id);
    const places = found.map((id) => wanted.get(id ?? '') ?? 'no place');
    // Records that tie have no order: their places in it are equal.
    if (new Set(found).size === wanted.size && found.length === wanted.size && isSorted(places)) return;
    throw new Error(`release ${release}, ${team}: expected ${wanted.size} tickets, found ${found.length}\n${stderr}`);
  }

  /** The tickets that are asked for, each with what they are sorted by. */
  #answer(items: readonly Item[], team: string): ReadonlyMap<string, string> {
    const text = (item: Item, name: string) => Object.values(item[name] ?? { S: '' })[0] as string;
    const isAsked = (item: Item) =>
      text(item, 'team') === team && (this.#options.keys === 'single' || text(item, 'state') === 'open');
    const order = (item: Item) => `${(text(item, 'priority') || '').padStart(3, '0')} ${text(item, 'openedAt')}`;
    return new Map(items.filter(isAsked).map((item) => [text(item, 'id'), order(item)]));
  }

  async #items(): Promise<readonly Item[]> {
    return Object.values(await this.#bed.content(this.#table)).flatMap((json) => [fromJsonItem(json) ?? {}]);
  }

  async #measure() {
    const items = await this.#items();
    const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
    const units = items.reduce((sum, item) => sum + writeUnits(itemBytes(item)), 0);
    return { record: { bytes: bytes / items.length, items: items.length }, units };
  }

  async #migrations(): Promise<Figures['migrations']> {
    const { stdout, stderr } = await this.#command(5, ['status', '--json']);
    const { migrations } = JSON.parse(stdout || stderr) as {
      readonly migrations: readonly {
        readonly id: string;
        readonly record: {
          readonly counts: { readonly changed: number };
          readonly units: { readonly read: number; readonly write: number };
        };
      }[];
    };
    return migrations.map(({ id, record: { counts, units } }) => ({ id, changed: counts.changed, ...units }));
  }
}

const isSorted = (places: readonly string[]): boolean =>
  places.every((place, at) => place !== 'no place' && (places[at - 1] ?? '') <= place);
