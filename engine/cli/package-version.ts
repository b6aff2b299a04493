import { readFileSync } from 'node:fs';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
}

function ownManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest;
}

/** The version of this package, from its package.json. */
export function packageVersion(): string {
  return ownManifest().version ?? '0';
}

/** The versions of other packages that this one was made with; those that it does not name are left out. */
export function packageVersions(names: readonly string[]): Versions {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = ownManifest();
  const known: Versions = { ...devDependencies, ...dependencies, ...optionalDependencies, ...peerDependencies };
  return Object.fromEntries(names.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])));
}
