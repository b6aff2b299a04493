import { releaseCommand } from '../../tables/model/shape/released-files.ts';
import type { CatalogueShape, IndexShape, TableShape } from '../../tables/model/shape/shape.ts';
import { dropIndexCommand } from '../../tables/model/stack/drop-index-command.ts';
import { physicalName, type StackConfig, type StackNaming } from '../../tables/model/stack/stack-config.ts';

export interface DangerousChange {
  /** What the allow list names it by: `orders/index/orders_by_owner`. */
  readonly id: string;
  readonly loss: string;
  /** What is left to do by hand once the change is deployed. */
  readonly after?: string;
}

export type Stack = StackNaming & Pick<StackConfig, 'region'>;

/** The changes between two shapes that lose data, or lose an index that queries rely on. */
export function dangerousChanges(released: CatalogueShape, current: CatalogueShape, stack: Stack): readonly DangerousChange[] {
  return Object.entries(released).flatMap(([name, before]) => {
    const after = current[name];
    if (after === undefined) {
      return [{ id: `${name}/table`, loss: `the table is deleted, with all its items and ${indexCount(before)}` }];
    }
    return [
      ...tableChanges(name, before, after),
      ...indexChanges(name, before, after, stack),
      ...ttlChanges(name, before, after, stack),
    ];
  });
}

function indexCount({ indexes }: TableShape): string {
  return indexes.length === 1 ? 'its index' : `its ${indexes.length} indexes`;
}

/** Tables have explicit names, so a replacement deletes the old one first: everything in it is gone. */
function tableChanges(name: string, before: TableShape, after: TableShape): readonly DangerousChange[] {
  const replaced = (part: string, from: string, to: string): DangerousChange => ({
    id: `${name}/${part}`,
    loss: `the table is replaced, with the loss of all its items: its ${part} was ${from} and becomes ${to}`,
  });
  return [
    ...(before.key === after.key ? [] : [replaced('key', before.key, after.key)]),
    ...(before.suffix === after.suffix ? [] : [replaced('suffix', before.suffix, after.suffix)]),
  ];
}

function indexChanges(name: string, before: TableShape, after: TableShape, stack: Stack): readonly DangerousChange[] {
  return before.indexes.flatMap((index) => {
    const id = `${name}/index/${index.name}`;
    const now = after.indexes.find((other) => other.name === index.name);
    if (now === undefined) {
      const loss = `the index on ${index.key} is deleted and every query on it fails from then on`;
      return [{ id, loss, ...(after.indexes.length === 0 ? { after: leftover(name, before, index, stack) } : {}) }];
    }
    if (indexText(now) === indexText(index)) return [];
    const loss = `the index is deleted and built again, and queries on it fail meanwhile: it was ${indexText(index)} and becomes ${indexText(now)}`;
    return [{ id, loss }];
  });
}

function leftover(name: string, { suffix }: TableShape, index: IndexShape, stack: Stack): string {
  const table = physicalName({ name, suffix }, stack);
  const command = dropIndexCommand({ table, index: index.name, region: stack.region });
  return `Pulumi leaves an index in place where a table keeps none, so after the deployment drop it with: ${command}`;
}

function indexText({ key, projection }: IndexShape): string {
  return `${key} with ${projection}`;
}

function ttlChanges(name: string, before: TableShape, after: TableShape, { stack }: Stack): readonly DangerousChange[] {
  if (before.ttl === after.ttl || before.ttl === null) return [];
  const id = `${name}/ttl`;
  if (after.ttl === null) return [{ id, loss: `items no longer expire: the TTL on ${before.ttl} is switched off` }];
  const up = `npx pulumi up -s ${stack}`;
  return [
    {
      id,
      loss: `items do not expire for an hour or more: DynamoDB cannot move the TTL from ${before.ttl} to ${after.ttl} in one step`,
      after: `it takes two deployments an hour apart: '${up}' switches the TTL on ${before.ttl} off; then run '${releaseCommand}', wait an hour, and '${up}' switches it on for ${after.ttl}`,
    },
  ];
}
