import type { Output } from './output.ts';
import type { LoadedProject } from './project/load-project.ts';
import type { CommonOptions, Given } from './spec/command-spec.ts';
import type { Surroundings } from './surroundings.ts';

export type { CommonOptions, Given } from './spec/command-spec.ts';

/** What every command is given. */
export interface Context extends Pick<Surroundings, 'cwd' | 'env' | 'ask' | 'signal'>, LoadedProject {
  readonly common: CommonOptions;
  readonly output: Output;
}

/** Carries a command out; what it is given is inferred from the command's spec. The exit code tells how it ended. */
export type Action<Spec> = (context: Context, given: Given<Spec>) => Promise<number>;
