/** More than a year, and no whole number of any unit of time: every part of a date or a clock is another. */
const shiftMs = (((401 * 24 + 7) * 60 + 13) * 60 + 5) * 1_000 + 678;

/**
 * Calls it with a clock that is ahead. What is called may not wait for anything: the clock of the whole process is another until
 * it is done. Chance needs no help to give something else the second time.
 */
export function anotherDay<T>(call: () => T): T {
  const present = globalThis.Date;
  const ahead = (): number => present.now() + shiftMs;
  globalThis.Date = new Proxy(present, {
    construct: (target, given: unknown[], made) =>
      Reflect.construct(target, given.length === 0 ? [ahead()] : given, made) as Date,
    apply: () => new present(ahead()).toString(),
    get: (target, name, receiver) => (name === 'now' ? ahead : (Reflect.get(target, name, receiver) as unknown)),
  });
  try {
    return call();
  } finally {
    globalThis.Date = present;
  }
}
