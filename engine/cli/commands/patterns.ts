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
  output.result(found, () =>
    rows.length === 0
      ? `No pattern begins with ${prefix}. 'tablewright patterns' lists all.`
      : renderTable(['pattern', 'operation', 'index', 'parameters', 'what it gives'], rows),
  );
  return found.length === 0 ? 2 : 0;
};

export default listPatterns;
