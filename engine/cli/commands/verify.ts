import { runVerify } from '../../run/migrate/run-verify.ts';
import type { Action } from '../context.ts';
import { concludeVerify } from '../migrate/conclude-verify.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import type spec from './verify.spec.js';

const verify: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const id = given.migration === undefined ? undefined : resolveId(command, given.migration);
  const results = await runVerify(command.environment, command.sources, id, context.signal);
  command.renderer.clear();
  return concludeVerify(context, results);
};

export default verify;
