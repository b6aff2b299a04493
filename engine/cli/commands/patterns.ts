import { TablewrightError } from '../../../tables/model/error.ts';
import { patternsOf } from '../../../tables/model/project.ts';
import { operationOf } from '../../../tables/model/prove.ts';
import { nearest } from '../../core/show/nearest.js';
import type { Action } from '../context.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './patterns.spec.js';

const columns: readonly Column[] = [
  { title: 'pattern' },
  { title: 'operation', rank: 3 },
  { title: 'index', rank: 4 },
  { title: 'parameters', rank: 1, least: 16 },
  { title: 'what it gives', rank: 2, least: 16 },
];

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
    const names = patternsOf(catalogue).map(({ name }) => name);
    const near = nearest(prefix, new Set(names.flatMap((name) => [name, ...begins(name)])));
    const next = `${near === undefined ? '' : `Did you mean ${near}? `}'tablewright patterns' lists all.`;
    throw new TablewrightError('UNKNOWN_NAME', `no pattern begins with ${prefix}`, { next });
  }
  output.result({ patterns: found }, (page) => renderTable(page, columns, rows));
  return 0;
};

/** `oms.trading.orderById` begins with `oms` and `oms.trading`. */
function begins(name: string): readonly string[] {
  const words = name.split('.');
  return words.slice(1).map((_, at) => words.slice(0, at + 1).join('.'));
}

export default listPatterns;
