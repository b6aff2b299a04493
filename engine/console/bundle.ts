import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Bundle {
  readonly script: string;
  readonly style: string;
  readonly page: string;
}

/** The chart takes the browser's language when it is loaded, and there are browsers whose own formatter refuses it (`en-US@posix`). */
const soundLanguage =
  "try{new Intl.NumberFormat(navigator.language)}catch{Object.defineProperty(navigator,'language',{value:'en-US'})}";

/** The pages as browsers take them, made in memory: nothing is written, nothing is fetched. */
export async function bundlePages(): Promise<Bundle> {
  const folder = fileURLToPath(new URL('./pages/', import.meta.url));
  const [made, page] = await Promise.all([
    build({
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
      // What it was made of is nobody's matter, and the nearest tsconfig is that of the project.
      tsconfigRaw: '{}',
      banner: { js: soundLanguage },
      legalComments: 'none',
      logLevel: 'silent',
    }),
    readFile(`${folder}index.html`, 'utf8'),
  ]);
  const text = (ending: string): string => made.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: text('.js'), style: text('.css'), page };
}
