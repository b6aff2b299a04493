import type { TableSettings } from '../../engine/core/store/store.ts';

/** Of a table that nobody gave any setting of its own. */
export const plainSettings: TableSettings = {
  localIndexes: [],
  stream: undefined,
  deletionProtection: false,
  tableClass: 'STANDARD',
  maximum: undefined,
  keyArn: undefined,
  warm: undefined,
  arn: undefined,
  replicas: [],
};
