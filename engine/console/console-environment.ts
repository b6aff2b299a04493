import type { Context } from '../cli/context.ts';
import type { MigrationCommand } from '../cli/migrate/open-migrations.ts';

/** What the answers are made from: the stack and the ledger as the commands open them. */
export interface ConsoleEnvironment extends Pick<MigrationCommand, 'stack' | 'environment' | 'sources'> {
  readonly context: Context;
  /** `--allow-writes` was given. */
  readonly allowWrites: boolean;
}
