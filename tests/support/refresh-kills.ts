import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CapacityProxy, type Consumption, openCapacityProxy } from './capacity-proxy.ts';
import type { RefreshBed } from './refresh-run.ts';

/** Reading and masking the source; opening and comparing what is staged; writing to the target; taking the staged away. */
export const refreshPhases = ['reading', 'comparing', 'loading', 'removing'] as const;
export type RefreshPhase = (typeof refreshPhases)[number];

/** Where a run is to be killed: with the n-th read or write that is answered, or so many milliseconds into the other phases. */
export interface Kill {
  readonly phase: RefreshPhase;
  readonly at: number;
  /** Of reading: not before this pass over the source. */
  readonly pass?: number;
}

/** How far a run came. */
export interface RefreshRun {
  readonly ended: boolean;
  /** Where it was when it was killed, and in which pass over the source. */
  readonly phase: RefreshPhase;
  readonly pass: number;
  readonly reads: number;
  readonly writes: number;
  /** The most exports that were complete in the staging folder. */
  readonly staged: number;
  readonly elapsedMs: number;
}

/** One target, and the same command run into it again and again, killed with kill -9 where it is asked for. */
export interface KillableRefresh {
  readonly target: string;
  readonly reads: CapacityProxy;
  readonly writes: CapacityProxy;
  /** Killed in a later phase if it leaves the wanted one before its moment. */
  run(kill?: Kill): Promise<RefreshRun>;
  close(): Promise<void>;
}

export interface KillableOptions {
  readonly args: (source: string, target: string) => readonly string[];
  /** Exports that a whole run stages: by them the phases are told apart. */
  readonly staged?: number | undefined;
  readonly say?: ((line: string) => void) | undefined;
}

/** So many kills over the phases, in their order: with what a whole run reads and writes, each is likely to fall where it is meant to. */
export function spreadKills(
  count: number,
  { reads, writes }: Pick<RefreshRun, 'reads' | 'writes'>,
  random: () => number,
): readonly Kill[] {
  const ofReading = Math.ceil(count * 0.3);
  const ofPasses = Math.ceil(count * 0.1);
  const ofComparing = Math.ceil(count * 0.15);
  const ofLoading = count - ofReading - ofPasses - ofComparing;
  const within = (most: number): number => 1 + Math.floor(random() * most);
  const several = (times: number, kill: () => Kill): readonly Kill[] => Array.from({ length: times }, kill);
  return [
    ...several(ofReading, () => ({ phase: 'reading', at: within(reads / ofReading) })),
    ...several(ofPasses, () => ({ phase: 'reading', at: 1, pass: 2 })),
    ...several(ofComparing, () => ({ phase: 'comparing', at: within(50) - 1 })),
    ...several(ofLoading, () => ({ phase: 'loading', at: within(writes / (ofLoading + 1)) })),
  ];
}

/** How often the staging folder is looked at. */
const lookMs = 2;

export async function openKillableRefresh(bed: RefreshBed, options: KillableOptions): Promise<KillableRefresh> {
  const target = await bed.emptyTarget();
  let watch: PhaseWatch | undefined;
  const counting = (kind: Consumption['kind']) => (one: Consumption) => {
    if (one.kind === kind && !one.table.includes('ledger')) watch?.count(kind);
  };
  const [reads, writes] = [
    await openCapacityProxy(bed.source, counting('read')),
    await openCapacityProxy(target, counting('write')),
  ];
  const run = async (kill?: Kill): Promise<RefreshRun> => {
    const beganMs = performance.now();
    const watching = new PhaseWatch(bed.root, options.staged ?? Number.POSITIVE_INFINITY, kill);
    watch = watching;
    const timer = setInterval(() => watching.look(), lookMs);
    try {
      const { code, stderr } = await bed.run(options.args(reads.endpoint, writes.endpoint), (child) => {
        watching.child = child;
        child.stderr?.on('data', (text: Buffer) => options.say?.(text.toString().trim().split('\n').at(-1) ?? ''));
      });
      if (code !== null && code !== 0) throw new Error(stderr);
      return { ended: code === 0, ...watching.found, elapsedMs: performance.now() - beganMs };
    } finally {
      clearInterval(timer);
      watching.child?.kill('SIGKILL');
    }
  };
  return { target, reads, writes, run, close: async () => void (await Promise.all([reads.close(), writes.close()])) };
}

/** Knows in which phase a run is, and ends it in the wanted one. */
class PhaseWatch {
  child: ChildProcess | undefined;
  found = { phase: 'reading' as RefreshPhase, pass: 0, reads: 0, writes: 0, staged: 0 };
  readonly #root: string;
  readonly #staged: number;
  readonly #kill: Kill | undefined;
  #phaseMs = performance.now();
  #killed = false;

  constructor(root: string, staged: number, kill: Kill | undefined) {
    this.#root = root;
    this.#staged = staged;
    this.#kill = kill;
  }

  count(kind: Consumption['kind']): void {
    const { reads, writes } = this.found;
    this.found = { ...this.found, ...(kind === 'read' ? { reads: reads + 1 } : { writes: writes + 1 }) };
    this.look();
  }

  look(): void {
    if (this.#killed) return;
    const { complete, pass } = stagedIn(this.#root);
    const isWhole = complete >= this.#staged;
    const phase = this.found.writes === 0 ? (isWhole ? 'comparing' : 'reading') : isWhole ? 'loading' : 'removing';
    if (phase !== this.found.phase) this.#phaseMs = performance.now();
    this.found = { ...this.found, phase, pass, staged: Math.max(this.found.staged, complete) };
    if (this.#kill !== undefined && this.#isDue(this.#kill)) this.#killed = this.child?.kill('SIGKILL') ?? false;
  }

  #isDue({ phase: wanted, at, pass: from = 0 }: Kill): boolean {
    const { phase, pass, reads, writes } = this.found;
    if (phase !== wanted) return refreshPhases.indexOf(phase) > refreshPhases.indexOf(wanted);
    if (wanted === 'reading') return reads >= at && pass >= from;
    return wanted === 'loading' ? writes >= at : performance.now() - this.#phaseMs >= at;
  }
}

/** Complete exports in the staging folder, and the last pass of them. */
function stagedIn(root: string): { readonly complete: number; readonly pass: number } {
  let names: readonly string[] = [];
  try {
    names = readdirSync(join(root, '.tablewright', 'refresh'), { recursive: true, encoding: 'utf8' });
  } catch {
    // Not there yet, or on its way out.
  }
  const there = names.filter((name) => !name.includes('.removed'));
  const passes = there.flatMap((name) => /pass-(\d+)/.exec(name)?.[1] ?? []).map(Number);
  const isWhole = (name: string): boolean => name.endsWith('manifest-summary.json');
  return { complete: there.filter(isWhole).length, pass: Math.max(0, ...passes) };
}
