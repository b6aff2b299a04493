import { deploymentKeys } from './schema.ts';

/** A secret as Pulumi keeps it in a stack file: its ciphertext, readable only with the passphrase. */
export interface Secret {
  readonly secure: string;
}

export function isSecret(value: unknown): value is Secret {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).join() === 'secure' && typeof (value as Record<string, unknown>).secure === 'string';
}

export interface Readable {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/** Passes over the settings that hold a secret, and names those that must not. */
export function withoutSecrets(settings: Readonly<Record<string, unknown>>): Readable {
  const places = new Map(Object.entries(settings).map(([name, value]) => [name, secretPlaces(value, name)]));
  const hidden = [...places].filter(([, found]) => found.length > 0);
  const skipped = new Set(hidden.map(([name]) => name));
  return {
    settings: Object.fromEntries(Object.entries(settings).filter(([name]) => !skipped.has(name))),
    problems: hidden
      .filter(([name]) => !deploymentKeys.some((key) => key === name))
      .flatMap(([, found]) => found.map((place) => `${place}: ${plainNeeded}`)),
  };
}

const plainNeeded = `expected a plain value, found a secret; the command line reads this file without the passphrase, so secrets may stand under ${deploymentKeys.join(', ')} only`;

function secretPlaces(value: unknown, place: string): readonly string[] {
  if (isSecret(value)) return [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => secretPlaces(inner, `${place}.${name}`));
}
