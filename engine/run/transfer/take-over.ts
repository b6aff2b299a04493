/**
 * A transfer at work moves something every second: an export its owner's mark, an import its checkpoint. What has not moved
 * for this long belongs to a run that is gone, and another may take over.
 */
export const defaultTakeOverWaitMs = 3_000;
