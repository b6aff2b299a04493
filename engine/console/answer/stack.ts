import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { examine, remedyOf } from '../../cli/commands/doctor.ts';
import { localStack } from '../../cli/local-stack.ts';
import { shownLacks } from '../../core/store/features.ts';
import type { TableDescription } from '../../core/store/store.ts';
import { sampledBytes } from '../../run/read/explain-pattern.ts';
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
export async function tableFigures(environment: ConsoleEnvironment): Promise<readonly TableFigure[]> {
  const { stack, context } = environment;
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
        ...(found === undefined ? { bytes: null, sampled: false } : await sizeOf(environment, name, found)),
        billing: found?.billing ?? null,
        indexes: (found?.indexes ?? []).map(({ name: index, status }) => ({ name: index, status })),
        patterns: Object.keys(table.patterns).length,
      };
    }),
  );
}

/** What the table says, else what a few items tell; elsewhere nothing is read for it, as that is paid for. */
async function sizeOf(
  environment: ConsoleEnvironment,
  name: string,
  { bytes, itemCount }: TableDescription,
): Promise<Pick<TableFigure, 'bytes' | 'sampled'>> {
  if (bytes > 0 || itemCount === 0) return { bytes, sampled: false };
  if (!isLocal(environment)) return { bytes: null, sampled: false };
  const { stack, context } = environment;
  return { bytes: await sampledBytes(stack.read, name, itemCount, context.signal), sampled: true };
}

export async function doctorAnswer({ stack, context }: ConsoleEnvironment): Promise<DoctorAnswer> {
  const { differences, lacks } = await examine(context, stack);
  return {
    differences: differences.map(({ table, what, expected, found }) => ({ table, what, expected, found })),
    remedy: differences.length === 0 ? null : remedyOf(stack, differences),
    notOffered: lacks.size === 0 ? null : shownLacks(lacks),
  };
}
