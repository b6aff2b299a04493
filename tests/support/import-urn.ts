import type { ImportEntry, ImportFile } from '../../engine/core/tables/import-file.ts';

/** The URN that Pulumi gives an imported resource: by the types of the entries above it. */
export function urnOf(stack: string, file: ImportFile, entry: ImportEntry): string {
  const types = (one: ImportEntry): string => {
    const parent = file.resources.find(({ name }) => name === one.parent);
    return parent === undefined ? one.type : `${types(parent)}$${one.type}`;
  };
  return `urn:pulumi:${stack}::tablewright::${types(entry)}::${entry.logicalName}`;
}
