import { ledgerKey } from '../../engine/core/ledger/ledger-codec.ts';
import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import { type Random, seededRandom } from '../../engine/core/seed/random.ts';
import { journalCodec } from '../../engine/local/journal-codec.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { silenceMs } from '../../engine/run/remote/take-turn.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../tables/model/canonical.ts';
import { keyOf } from '../../tables/model/item.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { claimRecord } from '../../tables/model/ledger/lock-records.ts';
import type { RunnerTask, TaskOf } from '../../tables/model/runner/order.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { answerTask } from '../support/answer-task.ts';
import { Applications, type AppWrite, edited } from './applications.ts';
import { type CommandEnd, type CommandOptions, runCommand } from './commands.ts';
import { drawItems, drawMigrations, type JudgedMigration, parts, things } from './content.ts';
import { drawDamage } from './ledger-damage.ts';
import { Oracle } from './oracle.ts';
import type { Invoked } from './play-execution.ts';
import { drawScenario, type Machine, type Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import { simulatedClient } from './simulated-client.ts';
import { type Command, type Mishap, type ProcessOptions, SimulatedProcess, theWorld } from './simulated-process.ts';
import { type Sender, SimulatedServer } from './simulated-server.ts';
import { Trace } from './trace.ts';
import { calm, type Weather } from './weather.ts';

/** One stream of chance for each purpose, so that one more draw here changes nothing there. */
const streams = {
  ...{ ties: 1, scenario: 2, content: 3, network: 4, server: 5, applications: 6, damage: 7, processes: 100 },
  ...{ executions: 1_000_000 },
} as const;

/** What every clock shows at the beginning of a simulation. */
const epochMs = 1_800_000_000_000;

export const config = parseStackConfig('simulation', {}, [things, parts, ledger]);
export const nameOf = (table: Pick<Table, 'name' | 'suffix'>): string => physicalName(table, config);
const ledgerName = nameOf(ledger);

/** What happened how often, over one seed. */
export type Tally = Map<string, number>;

/** A command under way. */
export interface Running {
  readonly process: SimulatedProcess;
  readonly end: Promise<CommandEnd | 'crashed'>;
}

/** Everything that there is in a simulation: a stack, who works on it, and what befalls them. */
export class World {
  readonly scenario: Scenario;
  readonly migrations: readonly JudgedMigration[];
  readonly sources: readonly MigrationSource[];
  readonly scheduler: Scheduler;
  readonly server: SimulatedServer;
  readonly oracle: Oracle;
  readonly trace: Trace;
  readonly applications: Applications;
  readonly tally: Tally = new Map();
  readonly #seed: number;
  readonly #damage: Random;
  readonly #network: Random;
  #weather: Weather = calm;
  #processes = 0;
  #executions = 0;
  /** Somebody else than the runners has written since the beginning. */
  isDisturbed = false;
  isDamaged = false;
  wasRolledBack = false;
  /** All that executions have handed out: any of them may be delivered again, long after. */
  readonly unitTasks: TaskOf<'unit'>[] = [];
  /** Items that a lost part of the journal was about, and the records. */
  readonly lost = new Set<string>();
  /** A rollback has said that parts are missing, and was told to restore the rest. */
  hasGaps = false;

  constructor(seed: number, show: ((line: string) => void) | undefined) {
    const stream = (number: number): Random => seededRandom(seed, number);
    this.#seed = seed;
    this.#damage = stream(streams.damage);
    this.#network = stream(streams.network);
    this.trace = new Trace(() => this.scheduler.nowMs, show);
    this.scheduler = new Scheduler(stream(streams.ties), this.trace.add);
    this.scenario = drawScenario(stream(streams.scenario));
    const content = stream(streams.content);
    this.migrations = drawMigrations(content);
    this.sources = this.migrations.map(({ migration }) => ({ file: `${migration.id}.ts`, migration, checksum: 'checksum-1' }));
    const nowMs = (): number => this.scheduler.nowMs;
    const { staleMs } = this.scenario;
    this.server = new SimulatedServer(new Map([things, parts, ledger].map((table) => [nameOf(table), table])), {
      ...this.scenario,
      nowMs,
      random: stream(streams.server),
      onInvalid: (message) => this.oracle.evidence.report('every command ends as it should', `DynamoDB refuses: ${message}`),
    });
    this.oracle = new Oracle({ server: this.server, migrations: this.migrations, nameOf, ledgerName, nowMs, staleMs });
    this.server.watch(this.oracle);
    this.applications = new Applications(stream(streams.applications), this.migrations, (table) =>
      this.server.table(nameOf(table)).present(),
    );
    this.#fill(content);
  }

  #fill(random: Random): void {
    for (const [table, items] of drawItems(random, this.migrations)) {
      for (const item of items) {
        this.server.fill(nameOf(table), item);
        this.oracle.evidence.history.of({ table: nameOf(table), identity: keyIdentity(table.key, item) }).original = item;
      }
    }
  }

  /** The items of a table as they would be without any migration. */
  originals(table: string): readonly Item[] {
    return this.oracle.evidence.history
      .ofTable(table)
      .map(([, { original }]) => original)
      .filter((item) => item !== undefined);
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  setWeather(weather: Weather): void {
    this.#weather = weather;
  }

  get isCalm(): boolean {
    return this.#weather === calm;
  }

  nameExecution(): string {
    this.#executions += 1;
    return `x${this.#executions}`;
  }

  /** What befalls the invocations of the next execution. */
  get ofExecution(): Random {
    return seededRandom(this.#seed, streams.executions + this.#executions);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.scheduler.after(theWorld, ms, 'time passes', resolve));
  }

  /** Starts a command in a process of its own. */
  start(machine: Omit<Machine, 'script'>, command: Command, mishaps: readonly Mishap[], options: CommandOptions = {}): Running {
    const process = this.#process(machine, { doing: command, mishaps });
    this.trace.add(`${process.name} begins: ${command}`);
    this.count(command);
    if (command === 'rollback') this.wasRolledBack = true;
    const work = runCommand(command, this.#environment(process, machine), this.sources, process.signal, options);
    return { process, end: Promise.race([work, process.died]) };
  }

  /** Invokes the function for an execution, in a process of its own. */
  invoke(
    machine: Omit<Machine, 'script'>,
    task: RunnerTask,
    mishaps: readonly Mishap[],
    sources: readonly MigrationSource[] = this.sources,
  ): { readonly process: SimulatedProcess; readonly end: Promise<Invoked> } {
    const doing = task.order.command;
    const execution = task.execution.Id;
    const ofUnit = task.task === 'unit' ? { unit: claimOf(task), silenceMs: silenceMs(machine) } : {};
    const process = this.#process(machine, { doing, mishaps, execution, ...ofUnit });
    this.trace.add(`${process.name} is invoked: ${task.task} ${task.task === 'unit' ? `${task.pass.pass} ${task.unit}` : ''}`);
    const share = task.task === 'unit' ? task.pass.share.write : 0;
    const environment = this.#environment(process, { ...machine, budget: share === 0 ? machine.budget : share });
    const work = answerTask(environment, sources, task, process.signal).then(
      (answer): Invoked => ({ kind: 'answered', answer }),
      (error: unknown): Invoked => ({ kind: 'failed', error }),
    );
    return { process, end: Promise.race([work, process.died.then((): Invoked => ({ kind: 'crashed' }))]) };
  }

  #process(
    { name, skewMs }: Omit<Machine, 'script'>,
    given: Pick<ProcessOptions, 'doing' | 'mishaps' | 'execution' | 'unit' | 'silenceMs'>,
  ): SimulatedProcess {
    this.#processes += 1;
    return new SimulatedProcess(this.scheduler, {
      ...given,
      name: `${name}.${this.#processes}`,
      skewMs,
      random: seededRandom(this.#seed, streams.processes + this.#processes),
      epochMs,
      onMishap: (kind, process) => {
        this.trace.add(`${process.name} ${kind}`);
        this.count(kind);
      },
    });
  }

  #environment(process: SimulatedProcess, { tuning, budget }: Omit<Machine, 'script'>): MigrateEnvironment {
    const client = simulatedClient(
      {
        scheduler: this.scheduler,
        server: this.server,
        random: this.#network,
        weather: () => this.#weather,
        trace: this.trace.add,
        onFate: (fate) => this.count(fate),
        onDataCall: (sender) => this.#checkLease(sender),
      },
      process,
    );
    const limit = budget === undefined ? ({ unlimited: true } as const) : { unitsPerSecond: budget };
    let requests = 0;
    return {
      data: client,
      ledger: client,
      store: client,
      documentClient: () => {
        throw new Error('no custom step is simulated');
      },
      config,
      tables: [things, parts],
      gates: { read: new CapacityGates(limit, process.clock), write: new CapacityGates(limit, process.clock) },
      budget: { read: budget ?? 0, write: budget ?? 0 },
      actor: process.actor,
      codec: journalCodec,
      digest: sha256,
      nowMs: process.nowMs,
      sleep: process.sleep,
      random: process.random,
      requestToken: () => {
        requests += 1;
        return `${process.name} ${requests}`;
      },
      every: process.every,
      emit: (event) => this.count(`event ${event.kind}`),
      tuning,
    };
  }

  /** A batch may be late, but it is never sent by somebody who can know that the lock is gone. */
  #checkLease(process: SimulatedProcess): void {
    // Whoever runs a step for an execution is told by the heartbeat, as one that runs custom code.
    if (process.execution !== undefined && process.unit === undefined) return;
    if (process.lease !== undefined && process.nowMs() < process.lease.until) return;
    const { report } = this.oracle.evidence;
    report('no write without the lock', `${process.name} sends a batch although its lease has passed by its own clock`);
  }

  /** An application writes, and its write is remembered. */
  write({ table, key, edit, what }: AppWrite): void {
    const name = nameOf(table);
    const place = { table: name, identity: keyIdentity(table.key, key) };
    const before = this.server.table(name).get(place.identity);
    const after = edited(before, edit);
    if (before === undefined && after === undefined) return;
    this.trace.add(`application ${what} ${place.identity} ${JSON.stringify(edit)}`);
    this.count(`application ${what}`);
    this.isDisturbed = true;
    const { history } = this.oracle.evidence;
    const track = history.of(place);
    // What a migration has put there is the application's own once it has written to it.
    track.original = edited(track.original ?? before, edit);
    history.write(place, edit.kind === 'update' ? [...Object.keys(edit.set), ...edit.remove] : ['*']);
    this.server.put(application, name, key, after);
    history.record({ ...place, before, after }, 'application', this.scheduler.nowMs);
  }

  /** A record of the ledger is damaged or lost, by nobody's fault. */
  damage(): void {
    const damage = drawDamage(this.#damage, this.server.table(ledgerName).present());
    if (damage === undefined) return;
    const { before, after, what } = damage;
    this.trace.add(`ledger: ${what}`);
    this.count(after === undefined ? 'ledger record lost' : 'ledger record damaged');
    this.isDamaged = true;
    this.oracle.ledger.damaged.add(keyIdentity(ledger.key, before));
    if ((scalarText(before.PK) ?? '').startsWith('JOURNAL#')) this.lost.add(what);
    for (const place of this.oracle.ledger.journalledIn(keyIdentity(ledger.key, before))) this.lost.add(place);
    this.server.put(damager, ledgerName, keyOf(ledger, before), after);
  }
}

const application: Sender = { name: 'application' };
const damager: Sender = { name: 'damage' };

function claimOf({ pass: { migration, step }, unit: segment }: TaskOf<'unit'>): string {
  return scalarText(ledgerKey(claimRecord, { migration, step, segment }).PK) ?? '';
}
