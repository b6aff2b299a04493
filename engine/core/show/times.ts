// How moments are written for people: UTC, without the letters that only programs need.

/** `2026-11-18T02:08:41.123Z` as `2026-11-18 02:08`; what is no such time stays as it is. */
export function showMinute(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z$/, '$1 $2');
}

/** … as `2026-11-18 02:08:41`. */
export function showSecond(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2');
}
