import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { runNativeExport } from '../../run/transfer/native/run-export.ts';
import type { CommandOptions, Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { interruptedExitCode } from '../run-command.ts';
import { nativeEnvironment } from './native-environment.ts';
import { showCommand, showCount } from './show.ts';

interface Target {
  readonly table: Table;
  readonly tableName: string;
  readonly to: string;
}

/** ExportTableToPointInTime, waited for; the exit code tells how it ended. */
export async function exportNatively(
  context: Context,
  stack: OpenStack,
  target: Target,
  options: CommandOptions,
): Promise<number> {
  const { table, tableName, to } = target;
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(to) ?? [];
  if (bucket === undefined) {
    throw new TablewrightError('BAD_ARGUMENT', `--to ${to}: DynamoDB exports to S3 only`, {
      next: 'Give --to s3://bucket/prefix, or --portable to export to a directory.',
    });
  }
  const environment = nativeEnvironment(context, stack, options.pollMs as number | undefined);
  const { asOf, kmsKey, since, until } = options as Readonly<Record<string, string | undefined>>;
  const result = await runNativeExport(environment, { tableName, bucket, prefix, asOf, kmsKey, window: windowOf(options) });
  environment.progress.stop();
  if (result.outcome === 'aborted') {
    const again = showCommand(
      ['export', table.name],
      { native: true, to, asOf, kmsKey, since, until, images: options.images },
      stack.name,
    );
    context.output.error(
      { error: 'INTERRUPTED', arn: result.arn, next: again },
      `Interrupted; DynamoDB goes on with ${result.arn}.\n→ Wait for it with: ${again}`,
    );
    return interruptedExitCode;
  }
  const { failure, items, manifest } = result.export;
  if (result.outcome === 'failed') {
    throw new TablewrightError(
      'STORE_FAILED',
      `${result.arn}: the export failed: ${failure?.code ?? '?'}: ${failure?.message ?? ''}`,
      {
        next: 'Correct what it names (often the bucket, its policy or the key), then run the command again: it starts another export.',
      },
    );
  }
  const folder = `s3://${bucket}/${(manifest ?? '').replace(/\/manifest-summary\.json$/, '')}`;
  context.output.result({ event: 'exported', table: tableName, native: true, place: folder, arn: result.arn, items }, () =>
    [
      `DynamoDB exported ${showCount(items ?? 0, 'item')} of ${tableName}.`,
      folder,
      `→ Import it with: ${showCommand(['import', folder], { table: table.name }, stack.name)}`,
    ].join('\n'),
  );
  return 0;
}

function windowOf({ since, until, images }: CommandOptions) {
  if (since === undefined && until === undefined) return undefined;
  if (since === undefined || until === undefined) {
    throw new TablewrightError('BAD_ARGUMENT', '--since and --until go together', {
      next: 'Give both for an incremental export, or neither for a full one.',
    });
  }
  return { from: String(since), to: String(until), images: images === 'new' ? ('new' as const) : ('new-and-old' as const) };
}
