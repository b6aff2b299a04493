import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { plural } from '../../core/show/numbers.ts';
import { runNativeExport } from '../../run/transfer/native/run-export.ts';
import type spec from '../commands/export.spec.js';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import type { OpenStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import type { ExportPlace, GivenIn } from '../spec/command-spec.ts';
import { nativeEnvironment } from './native-environment.ts';

interface Target {
  readonly table: Table;
  readonly tableName: string;
  readonly to: ExportPlace;
}

type Native = GivenIn<typeof spec, 'native' | 'incremental'>;

/** ExportTableToPointInTime, waited for; the exit code tells how it ended. */
export async function exportNatively(context: Context, stack: OpenStack, target: Target, given: Native): Promise<number> {
  const { table, tableName, to } = target;
  if (to.kind !== 's3') {
    throw new TablewrightError('BAD_ARGUMENT', `--to ${to.text}: DynamoDB exports to S3 only`, {
      next: 'Give --to s3://bucket/prefix, or --portable to export to a directory.',
    });
  }
  const { kmsKey, pollMs } = given;
  const { bucket, prefix } = to;
  const environment = nativeEnvironment(context, stack, pollMs);
  const result = await runNativeExport(environment, { tableName, bucket, prefix, kmsKey, ...momentOf(given) });
  environment.progress.stop();
  if (result.outcome === 'interrupted') {
    const again = showCommand(context, ['export', table.name], { native: true, to: to.text, kmsKey, ...timesOf(given) });
    context.output.error(
      { error: 'INTERRUPTED', arn: result.arn, next: again },
      `Interrupted; DynamoDB goes on with ${result.arn}.\n→ Wait for it with: ${again}`,
    );
    return exitCodes.interrupted;
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
      `DynamoDB exported ${plural(items ?? 0, 'item')} of ${tableName}.`,
      folder,
      `→ Import it with: ${showCommand(context, ['import', folder], { table: table.name })}`,
    ].join('\n'),
  );
  return 0;
}

/** The moment of a full export, or the window of an incremental one. */
function momentOf(given: Native) {
  if (given.mode === 'native') return { asOf: given.asOf?.toISOString() };
  const { since, until, images } = given;
  return { window: { from: since.toISOString(), to: until.toISOString(), images } };
}

function timesOf(given: Native) {
  if (given.mode === 'native') return { asOf: given.asOf };
  const { since, until, images } = given;
  return { since, until, images };
}
