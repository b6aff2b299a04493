import type { Registered } from '../../../infra/boot/registered.ts';

export { fromRequest, type Inputs, type Registered, shortUrn } from '../../../infra/boot/registered.ts';

export function ofType(resources: readonly Registered[], type: string): readonly Registered[] {
  return resources.filter((resource) => resource.type === type);
}

export function named(resources: readonly Registered[], type: string, name: string): Registered {
  const found = resources.find((resource) => resource.type === type && resource.name === name);
  if (found === undefined) throw new Error(`no ${type} named ${name} was registered`);
  return found;
}

/** The set with one resource changed, as a broken program would have registered it. */
export function broken(
  resources: readonly Registered[],
  type: string,
  name: string,
  change: (resource: Registered) => Registered | undefined,
): readonly Registered[] {
  const target = named(resources, type, name);
  return resources.flatMap((resource) => (resource === target ? (change(resource) ?? []) : [resource]));
}

export const tableType = 'aws:dynamodb/table:Table';
export const alarmType = 'aws:cloudwatch/metricAlarm:MetricAlarm';
