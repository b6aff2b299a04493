import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ConsolePages {
  readonly script: string;
  readonly style: string;
  readonly page: string;
}

/** The chart takes the browser's language when it is loaded, and there are browsers whose own formatter refuses it (`en-US@posix`). */
const soundLanguage =
  "try{new Intl.NumberFormat(navigator.language)}catch{Object.defineProperty(navigator,'language',{value:'en-US'})}";

const ownFolder = fileURLToPath(new URL('./pages/', import.meta.url));

/** The pages as browsers take them: those that were made with the package, else made now, in memory. Nothing is fetched. */
export async function bundlePages(): Promise<ConsolePages> {
  const [made, page] = await Promise.all([
    readBundle().catch(() => makeConsolePages(ownFolder)),
    readFile(join(ownFolder, 'index.html'), 'utf8'),
  ]);
  return { ...made, page };
}

async function readBundle(): Promise<Omit<ConsolePages, 'page'>> {
  const read = (name: string): Promise<string> => readFile(join(ownFolder, name), 'utf8');
  const [script, style] = await Promise.all([read('app.js'), read('app.css')]);
  return { script, style };
}

/** Makes them of the sources in a folder; `build.js` puts them into the package. */
export async function makeConsolePages(folder: string): Promise<Omit<ConsolePages, 'page'>> {
  const { build } = await import('esbuild');
  const made = await build({
    absWorkingDir: folder,
    entryPoints: ['app.tsx'],
    outdir: folder,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner: { js: soundLanguage },
    // What it was made of is nobody's matter, and the nearest tsconfig is that of the project.
    tsconfigRaw: '{}',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const text = (ending: string): string => made.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: text('.js'), style: text('.css') };
}
