import type { Table } from '../../tables/model/table.ts';
import type { Output } from './output.ts';
import type { CommonOptions, Given } from './spec/command-spec.ts';
import type { Surroundings } from './surroundings.ts';

export type { CommonOptions, Given } from './spec/command-spec.ts';

/** What every command is given. */
export interface Context extends Pick<Surroundings, 'cwd' | 'env' | 'ask' | 'signal'> {
  readonly common: CommonOptions;
  readonly output: Output;
  /** The repository: where the stack files, migrations and seeds lie. */
  readonly root: string;
  readonly catalogue: readonly Table[];
}

/** Carries a command out; what it is given is inferred from the command's spec. The exit code tells how it ended. */
export type Action<Spec> = (context: Context, given: Given<Spec>) => Promise<number>;
