import { TablewrightError } from '../../../tables/model/error.ts';
import { keyAlias } from '../../../tables/model/stack/key-alias.ts';
import { importSuffix } from '../../../tables/model/stack/made-table-names.ts';
import { errorStreamOf, logGroupName } from '../../aws/transfer/import-log.ts';
import { plural, showNumber } from '../../core/show/numbers.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { type NativeImportResult, runNativeImport } from '../../run/transfer/native/run-import.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import type spec from '../commands/import.spec.js';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import type { GivenIn } from '../spec/command-spec.ts';
import { findTable } from './find-table.ts';
import { nativeEnvironment } from './native-environment.ts';
import { openPlace } from './open-place.ts';
import { describeSettled } from './show-settled.ts';

/** ImportTable into a new table that is made as the catalogue describes it. */
export async function importNatively(context: Context, stack: OpenStack, given: Native): Promise<number> {
  const { source } = given;
  const found = findTable(stack, given.table ?? '');
  const tableName = given.as ?? `${found.tableName}${importSuffix}`;
  const place = await openPlace(context, stack, source);
  if (place.store.s3 === undefined) {
    throw new TablewrightError('BAD_ARGUMENT', `${source.text}: DynamoDB imports from S3 only`, {
      next: 'Copy the export to a bucket, or leave --native out.',
    });
  }
  const opened = await openExport({ source: place.store, parent: place.parent, codec: gzipCodec, signal: context.signal });
  const data = opened.files[0]?.store.s3;
  if (opened.summary.kind === 'incremental' || data === undefined) {
    throw new TablewrightError('BAD_EXPORT', `${opened.place}: ImportTable takes full exports only`, {
      next: 'Import the full export with --native first, then the incremental ones without.',
    });
  }
  const environment = nativeEnvironment(context, stack, given.pollMs);
  const result = await runNativeImport(environment, {
    table: found.table,
    tableName,
    bucket: data.bucket,
    prefix: `${data.prefix}data/`,
    objects: opened.files.length,
    kmsKey: given.kmsKey ?? stackKey(stack),
  });
  environment.progress.stop();
  return report(context, { table: found.table.name, tableName, expected: opened.summary.itemCount }, given, result);
}

type Native = GivenIn<typeof spec, 'native'>;

/** As the stack's own tables have it: without a key DynamoDB would take one of AWS's. The embedded engine has none. */
function stackKey({ name, config }: OpenStack): string | undefined {
  return name === localStack ? undefined : keyAlias(config);
}

interface Reported {
  readonly table: string;
  readonly tableName: string;
  readonly expected: number;
}

function report(
  context: Context,
  { table, tableName, expected }: Reported,
  { source, as, kmsKey }: Native,
  result: NativeImportResult,
): number {
  if (result.outcome === 'interrupted') {
    const again = showCommand(context, ['import', source.text], { native: true, table, as, kmsKey });
    context.output.error(
      { error: 'INTERRUPTED', arn: result.arn, next: again },
      `Interrupted; DynamoDB goes on with ${result.arn}.\n→ Wait for it with: ${again}`,
    );
    return exitCodes.interrupted;
  }
  const { arn, imported, errors, logGroup, failure } = result.import;
  const log = `aws logs get-log-events --start-from-head --log-group-name ${logGroupName(logGroup)} --log-stream-name ${errorStreamOf(arn)}`;
  if (result.outcome === 'failed') {
    throw new TablewrightError(
      'STORE_FAILED',
      `${arn}: the import failed: ${failure?.code ?? result.import.status}: ${failure?.message ?? ''}`,
      {
        problems: [`${imported} items imported, ${errors} errors`, ...result.problems],
        next: `The unfinished table is not used. The whole log: ${log}`,
      },
    );
  }
  const { settled, problems } = result;
  const whole = errors === 0 && imported === expected && settled.differences.length === 0;
  context.output.result(
    { event: 'imported', table: tableName, native: true, arn, imported, errors, problems, ...settled },
    (page) =>
      [
        `DynamoDB made ${tableName} with ${plural(imported, 'item')} of ${showNumber(expected)}, ${plural(errors, 'error')}.`,
        ...describeSettled(page, tableName, settled),
        ...problems.map((problem) => `  ${problem}`),
        ...(errors > 0 ? [`→ The whole log: ${log}`] : []),
      ].join('\n'),
  );
  return whole ? 0 : 1;
}
