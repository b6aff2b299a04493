/** Which of the five releases of the project is checked out, so to say: 1 and 5 have the made-up key alone, 3 natural attributes alone. */
export const release = Number(process.env.RELEASE ?? '1');

/** When the last writer that derives made-up keys was replaced; in a project of one's own it is written down in the migration. */
export const stoppedAt = process.env.STOPPED_AT ?? '2026-01-01T00:00:00Z';

/** What the project has in the release that is checked out. */
export function ofRelease<T>(releases: readonly [T, T, T, T, T]): T {
  const chosen = releases[release - 1];
  if (chosen === undefined) throw new RangeError(`RELEASE: expected 1 to 5, found ${process.env.RELEASE}`);
  return chosen;
}
