/**
 * What the names of tables end with that are made beside a stack's own: ImportTable and restores never write to an existing
 * one. The policies of a stack that make such tables are for names with these endings and no others.
 */
export const importSuffix = '-imported';
export const restoreSuffix = '-restored';
