import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { TablewrightError } from '../../../tables/model/error.ts';
import { standingPricesAsOf, totalOf } from '../../../tables/model/stack/standing-cost.ts';
import { digestProblem, failuresIn, type Preview, stacksIn } from '../../core/tables/preview-digest.ts';
import { type ReadPreview, readPreview } from '../../core/tables/read-preview.ts';
import type { Action, Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { localStack } from '../local-stack.ts';
import { readStack } from '../read-stack.ts';
import type spec from './preview.spec.js';

const preview: Action<typeof spec> = async (context, { from }) => {
  const { stack } = context.common;
  if (stack === localStack) {
    throw new TablewrightError('BAD_ARGUMENT', 'the local stack is not deployed by Pulumi, so there is nothing to preview', {
      next: 'Name a stack, as in: tablewright preview --stack dev',
    });
  }
  await readStack(stack, context.root, context.catalogue, context.project);
  const text = from === undefined ? await runPulumi(context) : await readFile(resolve(context.cwd, from), 'utf8');
  const place = from ?? 'pulumi preview --json';
  const given = parsePreview(text, place);
  refuseOther(given, stack, place);
  const read = readPreview(given);
  context.output.result({ stack, ...read, total: totalOf(read.cost) }, () => describe(stack, read));
  return read.losses.length === 0 ? exitCodes.done : exitCodes.failed;
};

async function runPulumi({ common: { stack }, root, env, signal, output }: Context): Promise<string> {
  output.aside({ event: 'pulumi' }, `Running 'npx pulumi preview --json -s ${stack}' …`);
  const child = spawn('npx', ['pulumi', 'preview', '--json', '-s', stack], {
    cwd: root,
    // With it Pulumi prints a stream of events instead.
    env: { ...env, PULUMI_ENABLE_STREAMING_JSON_PREVIEW: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const [printed, said]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => printed.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => said.push(chunk));
  const [code] = (await once(child, 'close').catch((error) => notStarted(error, signal))) as [number | null];
  if (code === 0) return printed.join('');
  throw new TablewrightError('CHECK_FAILED', `pulumi preview ended with code ${code}`, {
    problems: whyItEnded(printed.join(''), said.join('')),
    next: `Run 'npx pulumi preview -s ${stack}' to see it whole.`,
  });
}

function notStarted(error: unknown, signal: AbortSignal): never {
  if (signal.aborted) throw error;
  throw new TablewrightError('CHECK_FAILED', 'npx, which runs pulumi preview, cannot be started', {
    cause: error,
    problems: [error instanceof Error ? error.message : String(error)],
    next: "Put npm's npx on the PATH, or give what 'pulumi preview --json' printed by --from.",
  });
}

/** A program that fails says why in the preview, Pulumi itself beside it. */
function whyItEnded(printed: string, said: string): readonly string[] {
  const given = parsed(printed);
  const failures = digestProblem(given) === undefined ? failuresIn(given as Preview) : [];
  return [...failures.flatMap(plainLines), ...plainLines(said), ...(failures.length === 0 ? plainLines(printed) : [])].slice(
    0,
    20,
  );
}

/** Lines without what would colour a terminal, or do more to it. */
function plainLines(text: string): readonly string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function parsePreview(text: string, from: string): Preview {
  const given = parsed(text);
  const problem = digestProblem(given);
  if (problem === undefined) return given as Preview;
  throw new TablewrightError('BAD_ARGUMENT', `${from}: expected the JSON of pulumi preview --json, found ${problem}`, {
    next: "Write it with 'npx pulumi preview --json -s STACK > preview.json', without PULUMI_ENABLE_STREAMING_JSON_PREVIEW.",
  });
}

/** Undefined for what is no JSON; a byte order mark, as PowerShell writes it, is none of ours. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** One that failed, or that is of another stack, says nothing about this one. */
function refuseOther(given: Preview, stack: string, from: string): void {
  const failures = failuresIn(given);
  if (failures.length > 0) {
    throw new TablewrightError('CHECK_FAILED', `${from}: the preview failed, so it does not show what would change`, {
      problems: failures.flatMap(plainLines).slice(0, 20),
      next: `Correct what it says; 'npx pulumi preview -s ${stack}' shows it, too.`,
    });
  }
  const others = stacksIn(given).filter((name) => name !== stack);
  if (others.length === 0) return;
  throw new TablewrightError(
    'BAD_ARGUMENT',
    `${from}: expected a preview of the stack ${stack}, found one of ${others.join(', ')}`,
    {
      next: `Write it with 'npx pulumi preview --json -s ${stack} > preview.json', or say --stack ${others[0]}.`,
    },
  );
}

function describe(stack: string, { tables, others, losses, cost }: ReadPreview): string {
  if (tables.length + others.length + losses.length === 0) return `Stack ${stack}: nothing changes.`;
  const total = totalOf(cost);
  const price = `${total < 0 ? '−' : '+'}$${Math.abs(total).toFixed(2)} a month`;
  return [
    ...(tables.length === 0 ? ['No table changes.'] : tables),
    ...(others.length === 0 ? [] : [`Beside them: ${others.join(', ')}`]),
    `Standing price: ${price} (list prices of us-east-1, ${standingPricesAsOf}; requests and storage aside)`,
    ...(losses.length === 0 ? ['Nothing is lost.'] : ['Data would be lost:', ...losses.map((loss) => `  - ${loss}`)]),
  ].join('\n');
}

export default preview;
