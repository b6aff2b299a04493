import type { Tags } from '../../../tables/model/stack/tags.ts';
import type { TableDescription } from '../store/store.ts';
import type { PitrState } from '../transfer/native-store.ts';
import type { Attachments } from './attachments.ts';

/** A table of a stack as it really is, with all that can be asked about it. */
export interface DeployedTable {
  readonly description: TableDescription;
  /** Undefined where the server has none; so is recovery. */
  readonly tags: Tags | undefined;
  readonly pitr: Pick<PitrState, 'enabled' | 'recoveryDays'> | undefined;
  readonly attachments: Attachments;
  /** AWS shows every setting that a table has; another server may not know of some. */
  readonly isAws: boolean;
}
