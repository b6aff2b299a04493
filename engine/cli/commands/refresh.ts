import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { plural } from '../../core/show/numbers.ts';
import { type SubjectSample, sampleOf } from '../../core/transfer/mask/sample.ts';
import { directoryBlobStore } from '../../local/directory-blob-store.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { clearRemoved, removeWhole } from '../../local/remove-whole.ts';
import { type RefreshEvent, type RefreshResult, runRefresh } from '../../run/transfer/refresh/run-refresh.ts';
import type { Action, Context, Given } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { localDirectory, type OpenStack, openStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import { showProgress } from '../show/progress.ts';
import { findEndpoints } from '../spec/endpoints.js';
import { exportMask, type Mask, readMask } from '../transfer/read-mask.ts';
import { forgetSources, refreshPorts, type Sides } from '../transfer/refresh-ports.ts';
import { showTally } from '../transfer/show-tally.ts';
import type spec from './refresh.spec.js';

type Asked = Given<typeof spec>;

const refresh: Action<typeof spec> = async (context, given) => {
  const mask = await readMask(context, given.mask);
  if (mask.file.subjects.length === 0) throw withoutSubjects(context, given.mask);
  const from = await openSide(context, given.from, given.fromEndpoint, given.fromProfile);
  try {
    const to = await openSide(context, given.to, given.toEndpoint, given.toProfile);
    try {
      refuseTarget(from, to);
      return await carryOut(context, { from, to }, given, mask);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
};

/** One of the two stacks, with the endpoint and the credentials that are for it. */
function openSide(context: Context, stack: string, url: string | undefined, profile: string | undefined): Promise<OpenStack> {
  const { endpoints } = findEndpoints({ endpoint: url }, context.env);
  const common = { ...context.common, stack, endpoints };
  return openStack({ ...context, common }, { profile });
}

/** Masked or not, test data has no place among real data. */
function refuseTarget(from: OpenStack, to: OpenStack): void {
  if (to.config.production) {
    throw new TablewrightError('REFUSED_IN_PRODUCTION', `refresh never writes to a production stack, and ${to.name} is one`, {
      next: 'Name a stack for tests with --to. There is no option that allows it.',
    });
  }
  if (from.config.stack !== to.config.stack || from.endpoint !== to.endpoint || from.config.region !== to.config.region) return;
  throw new TablewrightError('BAD_ARGUMENT', `--from ${from.name} and --to ${to.name} are the same stack in the same place`, {
    next: 'Name another stack with --to, or another server with --to-endpoint.',
  });
}

function withoutSubjects({ catalogue }: Context, file: string): TablewrightError {
  const referred = catalogue.flatMap((table) =>
    table.entities.flatMap(({ references }) => references.map(({ entity }) => entity)),
  );
  const likely = [...new Set(referred)].toSorted();
  return new TablewrightError('BAD_ARGUMENT', `--mask ${file}: it names no subjects, so a share has nothing to be a share of`, {
    next: `Add for instance subjects: [${likely.join(', ')}] with those that are people or cases in your data.`,
  });
}

async function carryOut(context: Context, sides: Sides, given: Asked, mask: Mask): Promise<number> {
  const { from, to } = sides;
  const tables = from.tables.filter(({ name, system }) => system !== 'tablewright' && to.tables.some((one) => one.name === name));
  const { subjects, whole } = mask.file;
  const sample = sampleOf(context.catalogue, { subjects, whole, percent: given.share }, mask.hash);
  const id = createHash('sha256')
    .update(
      JSON.stringify([from.config.stack, from.endpoint, to.config.stack, to.endpoint, given.share, mask.digest, given.portable]),
    )
    .digest('hex')
    .slice(0, 16);
  const place = join(localDirectory(context.root), 'refresh', id);
  const options = { ...given, id };
  const discard = async (): Promise<void> => {
    // Before the folder goes: a run that finds it whole asks for no export.
    await forgetSources(context, sides, tables, options);
    await removeWhole(place);
  };
  if (given.again) await discard();
  else await clearRemoved(place);
  const progress = showProgress(context.output);
  const ports = refreshPorts(context, sides, options, progress);
  tellLeftOut(context, sample);
  try {
    const result = await runRefresh(
      {
        staging: directoryBlobStore(place, join('.tablewright', 'refresh', id)),
        discard,
        codec: gzipCodec,
        ...ports,
        maskOf: (table) => exportMask(mask, table),
        signal: context.signal,
        onEvent: (event) => tell(context, given, mask, tables, event),
      },
      tables,
      sample,
    );
    progress.stop();
    return report(context, given, result);
  } catch (error) {
    if (!context.signal.aborted || error instanceof TablewrightError) throw error;
    return report(context, given, { outcome: 'interrupted', items: 0, passes: 0, dangling: {}, deadLettered: 0 });
  } finally {
    progress.stop();
    await ports.close();
  }
}

function tell(context: Context, { to }: Asked, mask: Mask, tables: readonly Table[], event: RefreshEvent): void {
  const { output } = context;
  const { kind, ...told } = event;
  if (event.kind === 'loaded') {
    output.note({ event: `refresh-${kind}`, ...told }, `${event.table}: ${plural(event.written, 'item')} written to ${to}`);
    return;
  }
  const { pass, items, masked } = event;
  const table = tables.find(({ name }) => name === event.table);
  const rules = table === undefined || masked === undefined || items === 0 ? [] : showTally(mask.ofTable(table).rules, masked);
  const why = pass === 1 ? 'in the sample' : 'because the sample refers to them';
  const lines = [`${event.table}: ${plural(items, 'item')} ${why}`, ...rules];
  output.note({ event: `refresh-${kind}`, ...told }, lines.join('\n'));
}

function tellLeftOut({ output }: Context, { leftOut }: SubjectSample): void {
  if (leftOut.length === 0) return;
  output.note(
    { event: 'refresh-left-out', entities: leftOut },
    `Left out, as nothing connects them to a subject (whole: in the rules takes them): ${leftOut.join(', ')}`,
  );
}

function report(context: Context, given: Asked, result: RefreshResult): number {
  if (result.outcome === 'interrupted') {
    const { mode: _, again: __, share, ...rest } = given as Asked & { readonly mode?: string };
    const next = showCommand(context, ['refresh'], { ...rest, share: `${share}%` });
    context.output.error({ error: 'INTERRUPTED', next }, `Interrupted; what is staged and loaded stays.\n→ Go on with: ${next}`);
    return exitCodes.interrupted;
  }
  const { items, passes, dangling, deadLettered } = result;
  const missing = Object.entries(dangling).map(
    ([entity, count]) => `  ${entity}: ${plural(count, 'reference')} to records that ${given.from} does not have`,
  );
  context.output.result({ event: 'refreshed', from: given.from, to: given.to, share: given.share, ...result }, () =>
    [
      `${given.to} has ${plural(items, 'item')} of ${given.from}: ${given.share} % of the subjects, with what belongs to them (${plural(passes, 'pass', 'passes')}), masked.`,
      ...missing,
      ...(deadLettered > 0 ? [`  ${plural(deadLettered, 'item')} could not be written; see .tablewright/dead-letters`] : []),
    ].join('\n'),
  );
  return result.outcome === 'complete' ? 0 : 1;
}

export default refresh;
