import { readFileSync } from 'node:fs';

/** The version of this package, from its package.json. */
export function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof content === 'object' && content !== null && 'version' in content ? String(content.version) : '0';
}
