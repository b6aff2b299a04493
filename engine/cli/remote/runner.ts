import type { Executions } from '../../core/remote/executions.ts';

/** Where executions of the state machine run. */
export const runnerPlaces = ['aws', 'local'] as const;
export type RunnerPlace = (typeof runnerPlaces)[number];

/** What runs migrations by many workers, for one stack. */
export interface Runner extends AsyncDisposable {
  readonly place: RunnerPlace;
  readonly machineName: string;
  readonly executions: Executions;
  /** The most that may be asked for, and who says so; undefined where Step Functions alone limits it. */
  readonly limit?: { readonly workers: number; readonly next: string } | undefined;
  /** When nobody said how many. */
  readonly defaultWorkers: number;
  /** Executions end with the command that started them. */
  readonly endsWithCommand: boolean;
}
