import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { TablewrightError } from '../../tables/model/error.ts';

export interface BinaryPlace {
  readonly platform: string;
  readonly arch: string;
  /** The value of PATH. */
  readonly path: string;
  /** The file that a package specifier stands for; throws when it is not installed. */
  readonly resolve: (specifier: string) => string;
}

const program = 'dynoxide';

/** The embedded DynamoDB engine: from its platform package, then from PATH, else an error that says what to install. */
export function findBinary(place: BinaryPlace = here()): string {
  const packageName = `@dynoxide/${place.platform}-${place.arch}`;
  try {
    return place.resolve(`${packageName}/${program}`);
  } catch {
    const onPath = place.path
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, program))
      .find(isExecutable);
    if (onPath !== undefined) return onPath;
  }
  throw new TablewrightError(
    'ENGINE_MISSING',
    `no embedded DynamoDB engine for ${place.platform}-${place.arch} on this machine`,
    {
      problems: [`package ${packageName}: not installed`, `program ${program}: not on PATH`],
      next: `Run 'npm install --no-save ${packageName}', put '${program}' on PATH, or name a DynamoDB-compatible server with --endpoint URL.`,
    },
  );
}

function here(): BinaryPlace {
  const { resolve } = createRequire(import.meta.url);
  return { platform: process.platform, arch: process.arch, path: process.env.PATH ?? '', resolve };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
