import { type BoundTable, couldMatch } from './bind-rules.ts';
import { showRule } from './mask-rules.ts';
import type { MaskTally } from './mask-tally.ts';

/** Rules that found nothing although records were read that could have had it. */
export function unmatchedRules({ ofEntity, rules }: BoundTable, tally: MaskTally): readonly string[] {
  return rules.flatMap((rule) => {
    if (rule.optional || rule.as === 'keep' || (tally[`rule:${rule.at}`] ?? 0) > 0) return [];
    const records = [...ofEntity].reduce(
      (sum, [name, bound]) => sum + (couldMatch(bound, rule) ? (tally[`entity:${name}`] ?? 0) : 0),
      0,
    );
    if (records === 0) return [];
    return [
      `rule ${rule.at + 1}: ${showRule(rule)}: matched nothing in ${records} ${records === 1 ? 'record' : 'records'} that could have it; optional: true if that is no mistake`,
    ];
  });
}
