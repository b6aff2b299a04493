import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { examine, remedyOf } from '../../cli/commands/doctor.ts';
import { localStack } from '../../cli/local-stack.ts';
import { shownLacks } from '../../core/store/features.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import type { DoctorAnswer, StackAnswer, TableFigure } from '../wire-types.ts';

export const isLocal = ({ stack }: ConsoleEnvironment): boolean => stack.name === localStack;

/** In production nothing is changed unless the console was started for it. */
export const mayWrite = ({ stack, allowWrites }: ConsoleEnvironment): boolean => !stack.config.production || allowWrites;

export function stackAnswer(environment: ConsoleEnvironment): StackAnswer {
  const { stack } = environment;
  const { production, region, account, stack: configured } = stack.config;
  return {
    name: stack.name,
    configured,
    production,
    region,
    account: account ?? null,
    endpoint: stack.endpoint ?? null,
    engine: stack.engine ?? null,
    local: isLocal(environment),
    writes: mayWrite(environment),
    confirm: production,
    tables: stack.tables.length,
  };
}

/** Every table as it is found, in the catalogue's order. */
export async function tableFigures({ stack, context }: ConsoleEnvironment): Promise<readonly TableFigure[]> {
  return Promise.all(
    stack.tables.map(async (table): Promise<TableFigure> => {
      const name = physicalName(table, stack.config);
      const found = await stack.store.describeTable(name, context.signal);
      return {
        table: table.name,
        name,
        system: table.system,
        description: table.description,
        status: found?.status ?? 'missing',
        items: found?.itemCount ?? null,
        bytes: found === undefined || (found.bytes === 0 && found.itemCount > 0) ? null : found.bytes,
        billing: found?.billing ?? null,
        indexes: (found?.indexes ?? []).map(({ name: index, status }) => ({ name: index, status })),
        patterns: Object.keys(table.patterns).length,
      };
    }),
  );
}

export async function doctorAnswer({ stack, context }: ConsoleEnvironment): Promise<DoctorAnswer> {
  const { differences, lacks } = await examine(context, stack);
  return {
    differences: differences.map(({ table, what, expected, found }) => ({ table, what, expected, found })),
    remedy: differences.length === 0 ? null : remedyOf(stack, differences),
    notOffered: lacks.size === 0 ? null : shownLacks(lacks),
  };
}
