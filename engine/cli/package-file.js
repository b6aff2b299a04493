import { existsSync, readFileSync } from 'node:fs';

/** This package's own package.json: beside `engine/` in its repository, beside `dist/` where it is installed. */
const places = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url));

/** @returns {{ readonly version: string, readonly peerDependencies: Readonly<Record<string, string>> }} */
export function packageFile() {
  const found = places.find((place) => existsSync(place));
  return found === undefined ? { version: '0', peerDependencies: {} } : JSON.parse(readFileSync(found, 'utf8'));
}
