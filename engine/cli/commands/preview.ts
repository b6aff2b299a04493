import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { standingPricesAsOf, totalOf } from '../../../tables/model/stack/standing-cost.ts';
import { failuresIn, type Preview, type ReadPreview, readPreview, stacksIn } from '../../core/tables/read-preview.ts';
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

async function runPulumi({ common: { stack }, root, signal, output }: Context): Promise<string> {
  output.aside({ event: 'pulumi' }, `Running 'npx pulumi preview --json -s ${stack}' …`);
  const child = spawn('npx', ['pulumi', 'preview', '--json', '-s', stack], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const [printed, said]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return printed.join('');
  throw new TablewrightError('CHECK_FAILED', `pulumi preview ended with code ${code}`, {
    problems: [...said, ...printed]
      .join('')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-20),
    next: `Run 'npx pulumi preview -s ${stack}' to see it whole.`,
  });
}

function parsePreview(text: string, from: string): Preview {
  try {
    const parsed = JSON.parse(text) as Preview | null;
    // Where nothing changes there are no steps, and still a summary. Whatever else it is, it does not say that nothing changes.
    if (Array.isArray(parsed?.steps) || typeof parsed?.changeSummary === 'object') return parsed;
    if (Array.isArray(parsed?.diagnostics)) return parsed;
  } catch (error) {
    throw unreadable(from, error);
  }
  throw unreadable(from);
}

/** One that failed, or that is of another stack, says nothing about this one. */
function refuseOther(given: Preview, stack: string, from: string): void {
  const failures = failuresIn(given);
  if (failures.length > 0) {
    throw new TablewrightError('CHECK_FAILED', `${from}: the preview failed, so it does not show what would change`, {
      problems: failures.flatMap((failure) => failure.split('\n')).slice(0, 20),
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

function unreadable(from: string, cause?: unknown): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${from}: expected the JSON of pulumi preview --json, found something else`, {
    cause,
    next: "Write it with 'npx pulumi preview --json -s STACK > preview.json'.",
  });
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
