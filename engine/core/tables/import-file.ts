import type { ListedResource } from '../../../tables/model/stack/boot-request.ts';

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

/** The tables and what they belong to, each as the program registers it: types, names and parents are its own. */
export function importFile(listed: readonly ListedResource[], physicalNames: readonly string[]): ImportFile {
  const byUrn = new Map(listed.map((resource) => [resource.urn, resource]));
  const wanted = listed.filter(
    ({ type, physicalName }) => type === tableType && physicalName !== undefined && physicalNames.includes(physicalName),
  );
  const entries = new Map<string, ImportEntry>();
  const add = (resource: ListedResource): void => {
    if (entries.has(resource.urn)) return;
    const parent = byUrn.get(resource.parent);
    const above = parent === undefined || isStack(parent) ? undefined : parent;
    if (above !== undefined) add(above);
    const { type, name, custom, physicalName = '' } = resource;
    entries.set(resource.urn, {
      type,
      name: entryName(resource),
      logicalName: name,
      ...(custom ? { id: physicalName } : { component: true }),
      ...(above === undefined ? {} : { parent: entryName(above) }),
    });
  };
  for (const resource of wanted) add(resource);
  return { resources: [...entries.values()] };
}

const isStack = ({ type }: ListedResource): boolean => type === 'pulumi:pulumi:Stack';

/** A table and the component around it have one name in the program; the kind tells them apart. */
function entryName({ type, name }: ListedResource): string {
  return `${name}-${type.split(':').at(-1)?.toLowerCase()}`;
}

/** Tables that the program does not register under the names that the catalogue gives them. */
export function unregistered(listed: readonly ListedResource[], physicalNames: readonly string[]): readonly string[] {
  const names = new Set(listed.flatMap(({ type, physicalName }) => (type === tableType ? [physicalName] : [])));
  return physicalNames.filter((name) => !names.has(name));
}
