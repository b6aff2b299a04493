import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where programs are looked for. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** The value of PATH. */
  readonly path: string;
  /** The file that a package specifier stands for; throws when it is not installed. */
  readonly resolve: (specifier: string) => string;
}

/** What was looked for in vain, and what would bring it. */
export interface Missing {
  readonly missing: string;
  readonly remedy: string;
}

const program = 'dynoxide';

/** The embedded DynamoDB engine: from its platform package, then from PATH. */
export function findDynoxide({ platform, arch, path, resolve }: Machine): { readonly binary: string } | Missing {
  const packageName = `@dynoxide/${platform}-${arch}`;
  try {
    return { binary: resolve(`${packageName}/${program}`) };
  } catch {
    const [onPath] = programsOnPath(program, path);
    if (onPath !== undefined) return { binary: onPath };
  }
  return {
    missing: `dynoxide: package ${packageName} is not installed and '${program}' is not on PATH`,
    remedy: `run 'npm install --no-save ${packageName}'`,
  };
}

/** The executable files of this name, in the order of PATH. */
export function programsOnPath(name: string, path: string): readonly string[] {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
