import type { CatalogueShape, TableShape } from './shape.ts';

/**
 * The shape to record once the catalogue is deployed everywhere. A TTL that was switched off leaves its attribute behind,
 * in this release and every later one: DynamoDB wants the name to switch it off, and a stack may be deployed late. A TTL
 * that moves is off after the first of its two deployments.
 */
export function afterRelease(released: CatalogueShape, current: CatalogueShape): CatalogueShape {
  return Object.fromEntries(
    Object.entries(current).map(([name, after]) => [name, { ...after, ...ttlAfter(released[name], after.ttl) }]),
  );
}

function ttlAfter(before: TableShape | undefined, ttl: string | null): Pick<TableShape, 'ttl' | 'formerTtl'> {
  const isMoved = ttl !== null && before?.ttl !== undefined && before.ttl !== null && before.ttl !== ttl;
  if (ttl !== null && !isMoved) return { ttl };
  const former = before?.ttl ?? before?.formerTtl;
  return former === undefined ? { ttl: null } : { ttl: null, formerTtl: former };
}

/** The tables whose TTL waits for its second deployment, and the attribute that it moves to. */
export function waitingTtls(recorded: CatalogueShape, current: CatalogueShape): readonly (readonly [string, string])[] {
  return Object.entries(current).flatMap(([name, { ttl }]) =>
    ttl !== null && recorded[name]?.formerTtl !== undefined ? [[name, ttl] as const] : [],
  );
}
