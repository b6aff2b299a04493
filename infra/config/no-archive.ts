import { badConfig, projectName, type StackConfig } from '../../tables/model/stack/stack-config.ts';

/** A schedule of a project that keeps no archive would fail at every call. */
export function checkNoArchive({ stack, schedules }: StackConfig): void {
  if (!schedules.archive.enabled) return;
  const why = 'expected false, because defineProject has no archive (docs/transfer.md), found true';
  throw badConfig(stack, [`${projectName}:schedules.archive.enabled: ${why}`]);
}
