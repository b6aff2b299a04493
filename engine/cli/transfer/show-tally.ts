import { plural } from '../../core/show/numbers.ts';
import type { NumberedRule } from '../../core/transfer/mask/bind-rules.ts';
import { showRule } from '../../core/transfer/mask/mask-rules.ts';
import type { MaskTally } from '../../core/transfer/mask/mask-tally.ts';

/** What each rule did, and what a mask met beside it. */
export function showTally(rules: readonly NumberedRule[], tally: MaskTally): readonly string[] {
  const lines = rules.map(
    (rule) => `  rule ${rule.at + 1}: ${showRule(rule)}: ${plural(tally[`rule:${rule.at}`] ?? 0, 'value')}`,
  );
  const { copies = 0, dropped = 0 } = tally;
  if (copies > 0) lines.push(`  copies of these values elsewhere in their records: ${copies}`);
  if (dropped > 0) lines.push(`  left out, because they fit no entity: ${plural(dropped, 'record')}`);
  for (const [name, count] of Object.entries(tally)) {
    if (!name.startsWith('disagree:')) continue;
    const what = name.slice('disagree:'.length);
    lines.push(
      `  ${what}: the key of ${plural(count, 'record')} says something else than the attribute; each was masked as it is`,
    );
  }
  return lines;
}
