/** Loads the engine's sources with a fault in them: a hook of Node's module loader, for a worker that was given a plant. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** @type {ReadonlyMap<string, readonly { readonly find: string; readonly replace: string }[]>} */
let edits = new Map();

/** @param {{ readonly edits: readonly { readonly url: string; readonly find: string; readonly replace: string }[] }} data */
export function initialize({ edits: given }) {
  edits = new Map(given.map(({ url }) => [url, given.filter((one) => one.url === url)]));
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const [address = ''] = url.split('?');
  const own = edits.get(address);
  if (own === undefined) return nextLoad(url, context);
  let source = await readFile(fileURLToPath(address), 'utf8');
  for (const { find, replace } of own) {
    const count = source.split(find).length - 1;
    if (count !== 1) throw new Error(`the plant does not fit ${address}: its text is there ${count} times: ${find}`);
    source = source.replace(find, () => replace);
  }
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return { format: 'module', shortCircuit: true, source: ts.transpileModule(source, { compilerOptions: options }).outputText };
}
