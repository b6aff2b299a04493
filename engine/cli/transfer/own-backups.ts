import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Backup } from '../../core/transfer/native-store.ts';
import type { NativeEnvironment } from '../../run/transfer/native/native-environment.ts';
import type { OpenStack } from '../open-stack.ts';

/** The backups of the stack's tables, or of one of them by its physical name. */
export async function ownBackups(
  { native, signal }: Pick<NativeEnvironment, 'native' | 'signal'>,
  stack: OpenStack,
  wanted?: string,
): Promise<readonly Backup[]> {
  const own = new Set(stack.tables.map((table) => physicalName(table, stack.config)));
  return (await native.backups(wanted, signal)).filter((backup) => own.has(backup.table));
}
