import { createRequire } from 'node:module';
import { TablewrightError } from '../../tables/model/error.ts';
import { type DynamoDbLocal, findDynamoDbLocal, type JavaMachine, javaVersion } from './find-dynamodb-local.ts';
import { findDynoxide } from './find-dynoxide.ts';

/** The engines that can be started here: the embedded one, and Amazon's own. */
export const engineNames = ['dynoxide', 'dynamodb-local'] as const;
export type EngineName = (typeof engineNames)[number];

export type Engine =
  | { readonly name: 'dynoxide'; readonly binary: string }
  | ({ readonly name: 'dynamodb-local' } & DynamoDbLocal);

export interface EngineWish {
  /** The one asked for. */
  readonly wanted?: EngineName | undefined;
  /** The one whose data there is already. */
  readonly owner?: EngineName | undefined;
  /** Where that data lies, as people are told. */
  readonly directory?: string;
  /** Indexes whose key has several attributes, which the embedded engine takes and answers wrongly. */
  readonly naturalIndexes?: readonly string[];
}

/** The engine asked for, else that of the data, else the first one that this machine can run. */
export function chooseEngine(wish: EngineWish, machine: JavaMachine = here()): Engine {
  const { wanted, owner, directory = '.tablewright/', naturalIndexes = [] } = wish;
  if (wanted !== undefined && owner !== undefined && wanted !== owner) {
    throw new TablewrightError('CONFLICT', `${directory} holds data of ${owner}; ${wanted} was asked for and cannot read it`, {
      next: `Go on with '--engine ${owner}', or throw that data away with 'tablewright up --fresh --engine ${wanted}'.`,
    });
  }
  if (machine.platform === 'win32') {
    throw new TablewrightError('ENGINE_MISSING', 'no DynamoDB engine is started on Windows', {
      next: 'Run it in the Windows Subsystem for Linux, or name a DynamoDB-compatible server with --endpoint URL.',
    });
  }
  const name = wanted ?? owner;
  if (name === 'dynoxide' && naturalIndexes.length > 0) throw noNaturalKeys(wish, naturalIndexes);
  const able = naturalIndexes.length > 0 ? engineNames.filter((candidate) => candidate !== 'dynoxide') : engineNames;
  const tried = (name === undefined ? able : [name]).map((candidate) => find(candidate, machine));
  for (const result of tried) if (!('missing' in result)) return result;
  const missing = tried.flatMap((result) => ('missing' in result ? [result] : []));
  const unable = name === undefined && naturalIndexes.length > 0 ? [`dynoxide: ${naturalLack(naturalIndexes)}`] : [];
  throw new TablewrightError(
    'ENGINE_MISSING',
    name === undefined
      ? `no DynamoDB engine can be started on this machine (${machine.platform}-${machine.arch})`
      : `${name} cannot be started on this machine (${machine.platform}-${machine.arch})`,
    {
      problems: [...unable, ...missing.map((one) => one.missing)],
      next: remedyOf(
        missing.map((one) => one.remedy),
        owner,
        directory,
      ),
    },
  );
}

const naturalLack = (indexes: readonly string[]): string =>
  `it has no index keys of several attributes, as the catalogue has (${indexes.join(', ')})`;

/** dynoxide 1.2 makes such an index and answers its queries by the first attributes alone. */
function noNaturalKeys({ wanted, directory = '.tablewright/' }: EngineWish, indexes: readonly string[]): TablewrightError {
  return new TablewrightError('NOT_OFFERED', 'dynoxide has no index keys of several attributes, and would answer wrongly', {
    problems: indexes.map((index) => `${index} has such a key`),
    next:
      wanted === undefined
        ? `${directory} holds data of dynoxide: throw it away with 'tablewright up --fresh --engine dynamodb-local', which needs Java 17.`
        : "Use '--engine dynamodb-local', which has them and needs Java 17.",
  });
}

function find(name: EngineName, machine: JavaMachine) {
  if (name === 'dynoxide') {
    const found = findDynoxide(machine);
    return 'missing' in found ? found : ({ name, ...found } as const);
  }
  const found = findDynamoDbLocal(machine);
  return 'missing' in found ? found : ({ name, ...found } as const);
}

function remedyOf(remedies: readonly string[], owner: EngineName | undefined, directory: string): string {
  const fresh = owner === undefined ? '' : `, throw ${owner}'s data in ${directory} away with 'tablewright up --fresh'`;
  const all = `${remedies.join(', or ')}${fresh}, or name a DynamoDB-compatible server with --endpoint URL.`;
  return `${all.slice(0, 1).toUpperCase()}${all.slice(1)}`;
}

function here(): JavaMachine {
  const { resolve } = createRequire(import.meta.url);
  const { platform, arch, env } = process;
  return { platform, arch, path: env.PATH ?? '', javaHome: env.JAVA_HOME, resolve, javaVersion };
}
