import { TablewrightError } from '../../../tables/model/error.ts';
import { plural } from '../../core/show/numbers.ts';
import { loadSet, type SetReport } from '../../run/seed/load-set.ts';
import { refuseProduction } from '../../run/seed/refuse-production.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { findSets, type SeedSet } from './find-sets.ts';
import { readSets } from './read-sets.ts';
import { nowSeconds, openSeedSession } from './seed-environment.ts';

/**
 * Loads the usual fixtures into an open stack and, when `extra` names them, sets that are loaded on request only
 * (`legacy`). For `up`: silent, and harmless when repeated.
 */
export async function loadFixtures(
  context: Pick<Context, 'root' | 'project' | 'signal'>,
  stack: OpenStack,
  extra: readonly string[] = [],
): Promise<readonly SetReport[]> {
  refuseProduction(stack.config);
  const all = await findSets(context);
  const chosen = all.filter((set) => fits(set, stack) && (!set.onRequest || extra.includes(set.name)));
  const sets = await readSets(context.root, chosen, all, nowSeconds());
  const session = openSeedSession(stack, { root: context.root, emit: () => undefined, signal: context.signal });
  try {
    const reports: SetReport[] = [];
    for (const { set, declared } of sets) {
      const options = { name: set.name, times: set.times, declared, overwrite: false, prune: false, dryRun: false };
      reports.push(await loadSet(session.environment, options, context.signal));
    }
    failOnDeadLetters(reports, session.deadLetterPath);
    return reports;
  } finally {
    await session.close();
  }
}

/** Does the stack allow the set, and has it the set's tables? */
export function fits(set: SeedSet, stack: Pick<OpenStack, 'name' | 'tables'>): boolean {
  return (
    set.stacks.includes(stack.name) && set.fixtures.every(({ table }) => stack.tables.some(({ name }) => name === table.name))
  );
}

function failOnDeadLetters(reports: readonly SetReport[], path: string): void {
  const lost = reports.reduce((sum, report) => sum + report.deadLettered, 0);
  if (lost === 0) return;
  throw new TablewrightError('STORE_FAILED', `${plural(lost, 'row')} of the fixtures could not be written, kept in ${path}`, {
    next: "Read the reasons there, then run 'tablewright seed' again.",
  });
}
