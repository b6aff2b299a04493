/**
 * An item has at most 400 KB (Developer Guide, "Item size"), and JSON spells a value in at most about ten times its size; an
 * incremental export's line holds two images. A line beyond this is no export's.
 */
export const maxLineBytes = 16 * 1_024 * 1_024;

/** Blank lines that a data file may have beside its items. */
export const spareLines = 1_000;
