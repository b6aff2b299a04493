import type { OpenConsole } from '../console/open-console.ts';
import type { Context } from './context.ts';
import { loadWhatLoads } from './migrate/load-migrations.ts';
import { openMigrateSession } from './migrate/migrate-environment.ts';
import { deployed } from './migrate/open-migrations.ts';
import type { OpenStack } from './open-stack.ts';

/** The console of a stack that is open already. */
export async function consoleBeside(context: Context, stack: OpenStack): Promise<OpenConsole> {
  const { openConsole } = await import('../console/open-console.ts');
  const { sources } = await loadWhatLoads(context);
  const { root, signal } = context;
  const session = openMigrateSession(stack, { root, signal, emit: () => undefined });
  const { environment } = session;
  const opened = await openConsole({ context, stack, environment, sources: deployed(sources, stack), allowWrites: false });
  return {
    link: opened.link,
    close: async () => {
      await opened.close();
      session.close();
    },
  };
}
