import type { Random } from '../../engine/core/seed/random.ts';
import { defaultTuning, type MigrateTuning } from '../../engine/run/migrate/environment.ts';
import { type RemoteCommand, remoteCommands } from '../../tables/model/runner/order.ts';
import type { Command, Mishap } from './simulated-process.ts';
import { drawWeather, type Weather } from './weather.ts';

/** What somebody does on a machine: a command, run there or by so many workers elsewhere. */
export interface Task {
  readonly command: Command;
  readonly delayMs: number;
  readonly mishaps: readonly Mishap[];
  readonly workers?: number | undefined;
}

/** A machine that migrations are run from: a clock of its own, and what somebody does on it, one command after the other. */
export interface Machine {
  readonly name: string;
  /** By how much its clock is ahead. */
  readonly skewMs: number;
  readonly script: readonly Task[];
  readonly tuning: MigrateTuning;
  /** Write units per second; without a limit when undefined. */
  readonly budget: number | undefined;
}

/** What the people who run the commands are after. */
export type Goal = 'up' | 'down';

export interface Episode {
  readonly goal: Goal;
  readonly weather: Weather;
  readonly machines: readonly Machine[];
  /** When applications write, from the episode's begin. */
  readonly writesAtMs: readonly number[];
  /** When records of the ledger are damaged or lost. */
  readonly damageAtMs: readonly number[];
}

export interface Scenario {
  readonly staleMs: number;
  readonly indexLagMs: number;
  readonly returnsOld: boolean;
  readonly tellsUnits: boolean;
  readonly episodes: readonly Episode[];
}

/** All that a seed decides before anything happens. */
export function drawScenario(random: Random): Scenario {
  const goals = random.pick<readonly Goal[]>([['up'], ['up', 'down'], ['up', 'down'], ['up', 'down', 'up'], ['down']]);
  const leaseMs = random.pick([7_000, 15_000]);
  const hasWriters = random.chance(600);
  const hasDamage = random.chance(200);
  // Most clocks differ by less than half a lease; some are simply wrong.
  const maxSkewMs = random.chance(850) ? Math.floor(leaseMs / 4) : 3 * leaseMs;
  return {
    staleMs: random.pick([0, 100, 1_500]),
    indexLagMs: random.pick([0, 200, 3_000]),
    returnsOld: random.chance(500),
    tellsUnits: random.chance(700),
    episodes: goals.map((goal) => ({
      goal,
      weather: drawWeather(random),
      machines: Array.from({ length: 2 + random.below(3) }, (_, at) =>
        drawMachine(random, `m${at + 1}`, goal, leaseMs, maxSkewMs),
      ),
      writesAtMs: hasWriters ? moments(random, random.below(30), random.pick([2_000, 20_000])) : [],
      damageAtMs: hasDamage ? moments(random, 1 + random.below(2), random.pick([2_000, 20_000])) : [],
    })),
  };
}

const moments = (random: Random, count: number, withinMs: number): readonly number[] =>
  Array.from({ length: count }, () => random.below(withinMs));

function drawMachine(random: Random, name: string, goal: Goal, leaseMs: number, maxSkewMs: number): Machine {
  const commands = Array.from({ length: 1 + random.below(2) }, () => drawCommand(random, goal));
  return {
    name,
    skewMs: random.between(-maxSkewMs, maxSkewMs),
    script: commands.flatMap((command): readonly Task[] => [
      {
        command,
        delayMs: random.below(random.pick([200, 3_000, leaseMs * 2])),
        mishaps: drawMishaps(random, leaseMs),
        workers: isRemote(command) && random.chance(350) ? random.between(1, 3) : undefined,
      },
      // Whoever has paused the runs lets them go on.
      ...(command === 'pause' ? [{ command: 'resume' as const, delayMs: random.below(8_000), mishaps: [] }] : []),
    ]),
    tuning: drawTuning(random, leaseMs),
    budget: random.chance(250) ? random.between(20, 300) : undefined,
  };
}

export const isRemote = (command: Command): command is RemoteCommand => (remoteCommands as readonly Command[]).includes(command);

function drawCommand(random: Random, goal: Goal): Command {
  const main: Command = goal === 'up' ? 'migrate' : 'rollback';
  const other: Command = goal === 'up' ? 'rollback' : 'migrate';
  if (random.chance(700)) return main;
  return random.pick<Command>([other, other, 'verify', 'verify', 'retry', 'repair', 'pause', 'stop', 'unlock']);
}

function drawTuning(random: Random, leaseMs: number): MigrateTuning {
  return {
    ...defaultTuning,
    segments: random.between(1, 4),
    pageItems: random.between(2, 8),
    pagesInFlight: random.between(1, 4),
    batchesInFlight: random.between(1, 6),
    leaseMs,
    heartbeatMs: Math.floor(leaseMs / 5),
    maxDeadLetters: random.chance(100) ? 1 : 1_000,
    progressEveryMs: 5_000,
    retry: { maxAttempts: random.between(4, 9), baseDelayMs: 25, maxDelayMs: 1_000 },
  };
}

function drawMishaps(random: Random, leaseMs: number): readonly Mishap[] {
  const at = (): number => 1 + random.below(random.pick([30, 150, 500]));
  const mishaps: Mishap[] = [];
  if (random.chance(350)) mishaps.push({ kind: 'freeze', at: at(), forMs: random.pick([300, leaseMs, 3 * leaseMs]) });
  if (random.chance(120)) mishaps.push({ kind: 'interrupt', at: at(), forMs: 0 });
  if (random.chance(400)) mishaps.push({ kind: 'crash', at: at(), forMs: 0 });
  return mishaps;
}
