import { adviseIndex } from '../../engine/core/tables/advise-index.ts';
import type { Index, Table } from '../../tables/model/table.ts';

/** The line of docs/indexes.md for one index. */
export function adviceRow(table: Table, index: Index): string {
  const advice = adviseIndex(table, index);
  const why = () => {
    switch (advice.verdict) {
      case 'natural':
        return 'its key is made of attributes that the records have anyway';
      case 'could be natural':
        return `\`${advice.code}\`, without ${advice.spared.map((name) => `\`${name}\``).join(', ')}`;
      case 'stays':
        return advice.reasons.map((one) => `${one.reason}: ${one.why.replaceAll('|', '\\|')}`).join('; ');
    }
  };
  return `| \`${table.name}\` | \`${index.name}\` | ${advice.verdict} | ${why()} |`;
}
