import { TablewrightError } from '../../../tables/model/error.ts';
import { operationOf } from '../../../tables/model/prove.ts';
import type { Action } from '../context.ts';
import { renderTable } from '../show/table.ts';
import type spec from './patterns.spec.js';

const listPatterns: Action<typeof spec> = async ({ catalogue, output }, { prefix = '' }) => {
  const found = catalogue.flatMap((table) =>
    Object.values(table.patterns)
      .filter((pattern) => pattern.name.startsWith(prefix))
      .map((pattern) => ({
        pattern: pattern.name,
        operation: operationOf(table, pattern),
        table: table.name,
        index: pattern.index ?? null,
        parameters: Object.entries(pattern.params).map(([name, schema]) =>
          schema.safeParse(undefined).success ? `[${name}]` : name,
        ),
        description: pattern.description,
        example: pattern.example,
      })),
  );
  const rows = found.map((entry) => [
    entry.pattern,
    entry.operation,
    entry.index ?? '–',
    entry.parameters.join(' ') || '–',
    entry.description,
  ]);
  if (found.length === 0) {
    throw new TablewrightError('UNKNOWN_NAME', `no pattern begins with ${prefix}`, { next: "'tablewright patterns' lists all." });
  }
  output.result(found, () => renderTable(['pattern', 'operation', 'index', 'parameters', 'what it gives'], rows));
  return 0;
};

export default listPatterns;
