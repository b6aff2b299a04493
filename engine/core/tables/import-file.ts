import type { ListedResource } from '../../../tables/model/stack/boot-request.ts';
import type { DeployedTable } from './deployed-table.ts';

/** An entry of the file that `pulumi import --file` takes (Pulumi documentation, "Bulk import operations"). */
export interface ImportEntry {
  readonly type: string;
  /** Unique in the file; `logicalName` is what the program calls it. */
  readonly name: string;
  readonly logicalName: string;
  readonly component?: true;
  /** What AWS knows it by. */
  readonly id?: string;
  /** The `name` of the entry above it. */
  readonly parent?: string;
}

export interface ImportFile {
  readonly resources: readonly ImportEntry[];
}

/** The type by which Pulumi's provider knows tables. */
export const tableType = 'aws:dynamodb/table:Table';

/**
 * The tables that are there, what hangs on them, and what they belong to, each as the program registers it: types, names and
 * parents are its own. What is registered and not there is left out: the deployment makes it.
 */
export function importFile(listed: readonly ListedResource[], found: readonly DeployedTable[]): ImportFile {
  const byUrn = new Map(listed.map((resource) => [resource.urn, resource]));
  const entries = new Map<string, ImportEntry>();
  const add = (resource: ListedResource, id: string | undefined): void => {
    if (entries.has(resource.urn)) return;
    const parent = byUrn.get(resource.parent);
    const above = parent === undefined || isStack(parent) ? undefined : parent;
    if (above !== undefined) add(above, undefined);
    entries.set(resource.urn, {
      type: resource.type,
      name: entryName(resource),
      logicalName: resource.name,
      ...(id === undefined ? { component: true } : { id }),
      ...(above === undefined ? {} : { parent: entryName(above) }),
    });
  };
  for (const resource of listed) {
    const id = importId(resource, found);
    if (id !== undefined) add(resource, id);
  }
  return { resources: [...entries.values()] };
}

const isStack = ({ type }: ListedResource): boolean => type === 'pulumi:pulumi:Stack';

/** A table and the component around it have one name in the program; the kind tells them apart. */
function entryName({ type, name }: ListedResource): string {
  return `${name}-${type.split(':').at(-1)?.toLowerCase()}`;
}

type IdOf = (identity: ListedResource['identity'], found: readonly DeployedTable[]) => string | undefined;

/** By the kind of resource: what its provider wants to be told, from what is there (Pulumi registry, "Import" of each resource). */
const ids: Readonly<Record<string, IdOf>> = {
  [tableType]: ({ name }, found) => found.find(({ description }) => description.name === name)?.description.name,
  'aws:appautoscaling/target:Target': (identity, found) => scaledBy(identity, found)?.id,
  'aws:appautoscaling/policy:Policy': (identity, found) => {
    const scaling = scaledBy(identity, found);
    return scaling?.policy === undefined ? undefined : `${scaling.id}/${scaling.policy.name}`;
  },
  'aws:dynamodb/contributorInsights:ContributorInsights': ({ tableName = '', indexName }, found) => {
    const table = found.find(({ description }) => description.name === tableName);
    const account = table?.description.settings.arn?.split(':')[4];
    const isThere = table?.attachments.insights?.some(({ index }) => index === indexName) ?? false;
    return isThere ? `name:${tableName}/index:${indexName ?? ''}/${account}` : undefined;
  },
};

function importId({ type, identity }: ListedResource, found: readonly DeployedTable[]): string | undefined {
  return ids[type]?.(identity, found);
}

function scaledBy({ resourceId, scalableDimension }: ListedResource['identity'], found: readonly DeployedTable[]) {
  const scaling = found
    .flatMap(({ attachments }) => attachments.scaling ?? [])
    .find((one) => one.resourceId === resourceId && one.scalableDimension === scalableDimension);
  return scaling === undefined ? undefined : { ...scaling, id: `dynamodb/${resourceId}/${scalableDimension}` };
}

/** Tables that the program does not register under the names that the catalogue gives them. */
export function unregistered(listed: readonly ListedResource[], physicalNames: readonly string[]): readonly string[] {
  const names = new Set(listed.flatMap(({ type, identity }) => (type === tableType ? [identity.name] : [])));
  return physicalNames.filter((name) => !names.has(name));
}
