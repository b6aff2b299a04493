import { ledgerKey, readLedgerRecord } from '../../engine/core/ledger/ledger-codec.ts';
import { defaultTuning } from '../../engine/run/migrate/environment.ts';
import type { RollbackReport } from '../../engine/run/migrate/rollback/run-rollback.ts';
import type { RunReport } from '../../engine/run/migrate/run-migrations.ts';
import { keyIdentity } from '../../tables/model/canonical.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { stateRecord } from '../../tables/model/ledger/migration-records.ts';
import { checkEnd } from './check-end.ts';
import type { CommandEnd, CommandOptions } from './commands.ts';
import { playExecution } from './play-execution.ts';
import { type Episode, type Goal, isRemote, type Machine } from './scenario.ts';
import type { Command, SimulatedProcess } from './simulated-process.ts';
import { calm } from './weather.ts';
import { nameOf, type World } from './world.ts';

/** Longer than any run of these sizes takes, faults, leases and wrong clocks included. */
const maxEpisodeMs = 10 * 60_000;

/** Everybody at once and everything that can happen to them; then calm, and somebody sees that it comes to its end. */
export async function playEpisode(world: World, episode: Episode): Promise<void> {
  const alive = new Set<SimulatedProcess>();
  world.setWeather(episode.weather);
  const writers = [
    ...episode.writesAtMs.map((atMs) => world.sleep(atMs).then(() => write(world))),
    ...episode.damageAtMs.map((atMs) => world.sleep(atMs).then(() => world.damage())),
  ];
  const machines = episode.machines.map((machine) => playMachine(world, machine, alive));
  const all = Promise.all([...machines, ...writers]).then(() => 'done' as const);
  await Promise.race([all, world.sleep(maxEpisodeMs)]);
  world.setWeather(calm);
  for (const process of alive) process.spare();
  await operate(world, 'resume');
  if ((await Promise.race([all, world.sleep(maxEpisodeMs)])) !== 'done') {
    const names = [...alive].map(({ name, doing }) => `${name} ${doing}`).join(', ');
    world.oracle.evidence.report('every command ends as it should', `no end of ${names}`);
  }
  for (const healing of world.applications.heal()) world.write(healing);
  await settle(world, episode.goal);
}

function write(world: World): void {
  const next = world.applications.next();
  if (next !== undefined) world.write(next);
}

async function playMachine(world: World, machine: Machine, alive: Set<SimulatedProcess>): Promise<void> {
  for (const { command, delayMs, mishaps, workers } of machine.script) {
    await world.sleep(delayMs);
    if (workers !== undefined && isRemote(command)) {
      const ended = await playExecution(world, { machine, command, workers, random: world.ofExecution, alive });
      checkEnd(world, { name: machine.name, doing: command }, ended);
      continue;
    }
    const { process, end } = world.start(machine, command, mishaps);
    alive.add(process);
    const ended = await end;
    alive.delete(process);
    told(world, process, ended);
    checkEnd(world, process, ended);
  }
}

function told(world: World, process: SimulatedProcess, ended: CommandEnd | 'crashed'): void {
  const how = ended === 'crashed' ? ended : ended.kind === 'refused' ? `${ended.code}: ${ended.error.message}` : shown(ended);
  world.trace.add(`${process.name} ends: ${how}`);
  world.count(ended === 'crashed' ? 'ended crashed' : ended.kind === 'refused' ? `ended ${ended.code}` : `ended ${ended.kind}`);
}

function shown(ended: Exclude<CommandEnd, { readonly kind: 'refused' }>): string {
  if (ended.kind === 'broken') return `${ended.error instanceof Error ? ended.error.stack : String(ended.error)}`;
  return ended.kind === 'done' ? `done ${JSON.stringify(ended.report)}` : ended.kind;
}

/** Whoever sees to it that work comes to its end: a machine whose clock is right, in calm weather. */
const operator: Omit<Machine, 'script'> = {
  name: 'operator',
  skewMs: 0,
  tuning: { ...defaultTuning, segments: 3, pageItems: 8, leaseMs: 10_000, heartbeatMs: 2_000, progressEveryMs: 5_000 },
  budget: undefined,
};

async function operate(world: World, command: Command, options: CommandOptions = {}): Promise<CommandEnd> {
  const { process, end } = world.start(operator, command, [], options);
  const ended = await Promise.race([end, world.sleep(maxEpisodeMs)]);
  if (ended === undefined || ended === 'crashed') {
    world.oracle.evidence.report('every command ends as it should', `no end of ${process.name} ${command}`);
    return { kind: 'interrupted' };
  }
  told(world, process, ended);
  return ended;
}

/** Waits until the lock is free. */
async function unlocked(world: World, command: Command): Promise<CommandEnd> {
  for (let tries = 1; ; tries += 1) {
    const ended = await operate(world, command);
    if (ended.kind !== 'refused' || ended.code !== 'LOCKED' || tries === maxTries) return ended;
    await world.sleep(lockedMs);
  }
}

/** An execution that nobody goes on with keeps the lock for long. */
const lockedMs = 30_000;
/** Tries of a command that finds the lock taken, or something to repair first. */
const maxTries = 25;

/** Brings the migrations to where they should be, as somebody who reads the messages would. */
export async function settle(world: World, goal: Goal): Promise<void> {
  if (world.isDamaged) await repair(world);
  const command = goal === 'up' ? 'migrate' : 'rollback';
  // What was verified once may have been written in the old form since.
  if (goal === 'up') await unlocked(world, 'verify');
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const ended = await operate(world, command, { accept: true, acceptGaps: world.hasGaps });
    if (ended.kind === 'done' && (ended.report as RunReport | RollbackReport).outcome === 'done') return;
    if (ended.kind === 'done' && goal === 'up') await operate(world, 'retry');
    else if (ended.kind === 'refused' && ended.code === 'LOCKED') await world.sleep(lockedMs);
    else if (ended.kind === 'refused' && ended.code === 'LEDGER_DAMAGED') await repair(world);
    else if (ended.kind === 'refused' && ended.code === 'JOURNAL_GAP' && world.lost.size > 0) world.hasGaps = true;
    else return unsettled(world, command, ended);
  }
  unsettled(world, command, undefined);
}

async function repair(world: World): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const ended = await operate(world, 'repair');
    if (ended.kind === 'done') return;
    if (ended.kind === 'refused' && ended.code === 'LOCKED') await world.sleep(lockedMs);
    else if (ended.kind === 'refused' && ended.code === 'LEDGER_DAMAGED') await operate(world, 'unlock');
    else return unsettled(world, 'repair', ended);
  }
  unsettled(world, 'repair', undefined);
}

function unsettled(world: World, command: Command, ended: CommandEnd | undefined): void {
  const how =
    ended === undefined ? `does not get to its end in ${maxTries} tries` : `ends so in calm weather: ${shownEnd(ended)}`;
  world.oracle.evidence.report('every command ends as it should', `${command} ${how}`);
}

function shownEnd(ended: CommandEnd): string {
  return ended.kind === 'refused' ? `${ended.code}: ${ended.error.message}` : shown(ended);
}

/** How a migration stands; undefined when it was never run. */
export function stateOf(world: World, id: string) {
  const table = world.server.table(nameOf(ledger));
  const item = table.get(keyIdentity(ledger.key, ledgerKey(stateRecord, { id })));
  return item === undefined ? undefined : readLedgerRecord(stateRecord, item);
}
