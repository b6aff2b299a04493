import { type Path, without } from './without.ts';

/** A secret as Pulumi keeps it in a stack file: its ciphertext, readable only with the passphrase or the key. */
export interface Secret {
  readonly secure: string;
}

export function isSecret(value: unknown): value is Secret {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).join() === 'secure' && typeof (value as Record<string, unknown>).secure === 'string';
}

export interface Readable {
  readonly settings: Readonly<Record<string, unknown>>;
  /** The secrets that were passed over, by their place. */
  readonly hidden: readonly string[];
  readonly problems: readonly string[];
}

/** Passes over the secrets that only the deployment needs, and names the others. */
export function withoutSecrets(settings: Readonly<Record<string, unknown>>): Readable {
  const secrets = secretPaths(settings, []);
  const needed = secrets.filter((path) => !onlyDeployed(path));
  const dropped = secrets.map((path) => (onlyDeployed(path) ? wholeOf(path) : path.slice(0, 1)));
  return {
    settings: without(settings, dropped) as Readonly<Record<string, unknown>>,
    hidden: secrets.filter(onlyDeployed).map((path) => path.join('.')),
    problems: needed.map((path) => `${path.join('.')}: ${secretFound}`),
  };
}

/** What only the deployment reads; a star stands for any name. Everything else shapes tables or guards them. */
const deploymentPlaces = ['alarms', 'dashboards', 'exportBucket', 'roles', 'backups', 'key', 'ci', 'tables.*.alarms'] as const;

/** What is said of a secret where the command line cannot do without the value. */
export const secretFound = `expected a plain value, found a secret; the command line reads this file without the passphrase, so secrets may stand under ${deploymentPlaces.join(', ')} only`;

function onlyDeployed(path: Path): boolean {
  return deploymentPlaces.some((place) => place.split('.').every((part, at) => part === '*' || part === path[at]));
}

/** What goes with a secret: a role or an entry of a list makes no sense without one of its parts. */
function wholeOf(path: Path): Path {
  const role = path[0] === 'roles' ? 2 : path.length;
  const entry = path.findIndex((part) => typeof part === 'number');
  return path.slice(0, Math.min(role, entry === -1 ? path.length : entry + 1));
}

function secretPaths(value: unknown, path: Path): readonly Path[] {
  if (isSecret(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((inner, at) => secretPaths(inner, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => secretPaths(inner, [...path, name]));
}
