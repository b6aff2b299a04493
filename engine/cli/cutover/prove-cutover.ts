import { TablewrightError } from '../../../tables/model/error.ts';
import { type ApplyOutcome, applyCutover } from '../../run/cutover/apply-cutover.ts';
import { cutoverPatterns } from '../../run/cutover/status.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { cutoverEnvironment } from './cutover-environment.ts';

/**
 * Leaves every pattern that was once a Scan in state `query`, proven now. For `up`, after the migrations: what they have cut
 * over is compared again, what somebody has reverted is applied again. Throws with all refusals otherwise.
 */
export async function proveCutover(context: Context, stack: OpenStack): Promise<readonly ApplyOutcome[]> {
  const environment = cutoverEnvironment(context, stack);
  const outcomes: ApplyOutcome[] = [];
  for (const pattern of cutoverPatterns(stack.tables)) {
    outcomes.push(await applyCutover(environment, pattern, { signal: context.signal }));
  }
  const problems = outcomes.flatMap((entry) =>
    entry.outcome === 'refused' ? [`${entry.pattern}: ${entry.reasons.join('; ')}`] : [],
  );
  if (problems.length === 0) return outcomes;
  throw new TablewrightError('CHECK_FAILED', `${problems.length} patterns are not read by Query`, {
    problems,
    next: "Run 'tablewright cutover check --all' to see the records that differ.",
  });
}
