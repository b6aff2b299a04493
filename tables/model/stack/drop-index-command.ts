export interface DeployedIndex {
  /** The physical table. */
  readonly table: string;
  readonly index: string;
  readonly region: string;
}

/**
 * What drops an index by hand. Pulumi's provider takes the indexes of a table for computed when none is given, so it drops
 * them down to one and leaves the last where it is, queried by nobody and paid for.
 */
export function dropIndexCommand({ table, index, region }: DeployedIndex): string {
  const change = JSON.stringify([{ Delete: { IndexName: index } }]);
  return `aws dynamodb update-table --region ${region} --table-name ${table} --global-secondary-index-updates '${change}'`;
}
