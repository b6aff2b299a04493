import { TablewrightError } from '../../../tables/model/error.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import type { SeedSet } from './find-sets.ts';

export interface Choice {
  /** Sets by name; all that fit when there are none. */
  readonly names: readonly string[];
  readonly system: string | undefined;
  readonly stack: string;
  /** Base names of the tables that the stack deploys. */
  readonly tables: readonly string[];
  /** Only sets that can make volume data. */
  readonly volume: boolean;
}

const noSets = 'There is none here: a set is a folder of seeds/ with a seed.ts; docs/seeds.md shows one.';

/** The sets that a command line means. What it names and cannot have is an error; what it does not name is passed over. */
export function chooseSets(all: readonly SeedSet[], choice: Choice): readonly SeedSet[] {
  const { names, system, stack, volume } = choice;
  checkNames(all, choice);
  const chosen = all
    .filter((set) => (names.length === 0 ? !set.onRequest && isDeployed(set, choice.tables) : names.includes(set.name)))
    .filter((set) => system === undefined || set.system === system)
    .filter((set) => !volume || set.volume !== undefined || names.length > 0);
  const allowed = chosen.filter((set) => set.stacks.includes(stack));
  const refused = chosen.filter((set) => !set.stacks.includes(stack));
  if (allowed.length === 0 || (names.length > 0 && refused.length > 0)) throw nothingToLoad(refused, choice);
  const barren = allowed.filter((set) => volume && set.volume === undefined);
  if (barren.length > 0) {
    throw new TablewrightError('BAD_ARGUMENT', `${list(barren)}: no volume data can be made for it`, {
      next: `Leave it out, or give seeds/${barren[0]?.name}/seed.ts a volume; docs/seeds.md shows one.`,
    });
  }
  return allowed;
}

/** A set without fixtures is known by its generator only, which names its tables as it goes. */
function isDeployed(set: SeedSet, tables: readonly string[]): boolean {
  return set.fixtures.every(({ table }) => tables.includes(table.name));
}

function checkNames(all: readonly SeedSet[], { names, system }: Choice): void {
  const unknown = names.filter((name) => !all.some((set) => set.name === name));
  if (unknown.length > 0) {
    throw new TablewrightError('UNKNOWN_NAME', `there is no seed set ${unknown.join(', ')} in seeds/`, {
      next:
        all.length === 0
          ? noSets
          : nameAdvice(
              unknown,
              all.map((set) => set.name),
            ),
    });
  }
  const systems = [...new Set(all.flatMap((set) => set.system ?? []))];
  if (system === undefined || systems.includes(system)) return;
  throw new TablewrightError('UNKNOWN_NAME', `no seed set is of the system ${system}`, {
    next: systems.length === 0 ? noSets : nameAdvice(system, systems),
  });
}

function nothingToLoad(refused: readonly SeedSet[], { stack, names, system }: Choice): TablewrightError {
  if (refused.length === 0 && names.length === 0 && system === undefined) {
    return new TablewrightError('BAD_ARGUMENT', `no seed set fits the stack ${stack}`, {
      next: 'Name a set, or give one of seeds/ what the stack deploys.',
    });
  }
  if (refused.length === 0) {
    const asked = [...names, ...(system === undefined ? [] : [`system ${system}`])].join(', ');
    return new TablewrightError('BAD_ARGUMENT', `no seed set is all of ${asked}`, {
      next: 'Leave out --system, or name a set of that system.',
    });
  }
  const places = refused.map((set) => `${set.name}: its seed.ts allows ${set.stacks.join(', ')}`);
  return new TablewrightError('BAD_ARGUMENT', `${list(refused)} may not be loaded into the stack ${stack}`, {
    problems: places,
    next: `Choose one of those stacks with --stack, or add '${stack}' to stacks in seeds/${refused[0]?.name}/seed.ts.`,
  });
}

function list(sets: readonly SeedSet[]): string {
  return sets.map((set) => set.name).join(', ');
}
