import type { Table } from '../../tables/model/table.ts';
import type { EngineName } from '../local/choose-engine.ts';
import type { Endpoints } from './endpoints.ts';
import type { Output } from './output.ts';

export interface CommonOptions {
  readonly stack: string;
  readonly endpoint?: string;
  /** The engine of the local stack that was asked for. */
  readonly engine?: EngineName;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
}

/** What every command is given. */
export interface Context {
  readonly common: CommonOptions;
  /** The servers that the command line or the environment names. */
  readonly endpoints: Endpoints;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** The repository: where the stack files, migrations and seeds lie. */
  readonly root: string;
  readonly catalogue: readonly Table[];
}

export type CommandOptions = Readonly<Record<string, unknown>>;
export type CommandFunction = (context: Context, positional: readonly unknown[], options: CommandOptions) => Promise<number>;
