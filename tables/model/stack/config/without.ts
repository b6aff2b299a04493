/** Where a value stands inside settings: names, and numbers in lists. */
export type Path = readonly (string | number)[];

/** Settings without what stands at the given places; entries of lists move up. */
export function without(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value;
  const kept = ([name, inner]: readonly [string | number, unknown]): readonly (readonly [string | number, unknown])[] => {
    const inside = paths.filter(([first]) => String(first) === String(name));
    if (inside.some((path) => path.length === 1)) return [];
    return [
      [
        name,
        without(
          inner,
          inside.map((path) => path.slice(1)),
        ),
      ],
    ];
  };
  if (Array.isArray(value)) return value.flatMap((inner, at) => kept([at, inner]).map(([, left]) => left));
  return Object.fromEntries(Object.entries(value).flatMap(kept));
}

export function has(value: unknown, path: Path): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return false;
  return has((value as Readonly<Record<string | number, unknown>>)[first], rest);
}
