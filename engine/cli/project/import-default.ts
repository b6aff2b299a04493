import { pathToFileURL } from 'node:url';

/** The default export of a project's file. In a package without `"type": "module"` it lies inside of another one. */
export async function importDefault(path: string): Promise<unknown> {
  const { default: first } = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  return isCommonJs(first) ? first.default : first;
}

function isCommonJs(value: unknown): value is { readonly default: unknown } {
  return typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value;
}
