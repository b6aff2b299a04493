/**
 * What the name of a table that a native import creates ends with: ImportTable never writes to an existing one. The importer's
 * policy of a stack allows names with this ending.
 */
export const importSuffix = '-imported';
