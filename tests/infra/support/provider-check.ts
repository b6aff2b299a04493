import { isSuppressed, tableRefusals } from './provider-table.ts';
import type { Inputs, Registered } from './registered.ts';

/** One thing that a deployment does to one resource, or is refused. */
export interface Step {
  readonly action: 'create' | 'update' | 'replace' | 'delete';
  /** `dynamodb.Table orders`. */
  readonly resource: string;
  /** The arguments that differ. */
  readonly changed: readonly string[];
  /** What Pulumi, the provider or AWS says instead; or what silently stays as it was. */
  readonly refused: readonly string[];
}

/**
 * Arguments that cannot change in place, from the provider's documentation ("Forces new resource"). Names are all of these:
 * a stack's names follow from the stack.
 */
const fixed: Readonly<Record<string, readonly string[]>> = {
  'aws:dynamodb/table:Table': ['name', 'hashKey', 'rangeKey'],
  'aws:s3/bucket:Bucket': ['bucket'],
  'aws:backup/vault:Vault': ['name', 'kmsKeyArn'],
  'aws:cloudwatch/metricAlarm:MetricAlarm': ['name'],
  'aws:cloudwatch/dashboard:Dashboard': ['dashboardName'],
  'aws:sns/topic:Topic': ['name'],
  'aws:sns/topicSubscription:TopicSubscription': ['topic', 'protocol', 'endpoint'],
  'aws:iam/role:Role': ['name'],
  'aws:iam/policy:Policy': ['name', 'description'],
  'aws:iam/rolePolicyAttachment:RolePolicyAttachment': ['role', 'policyArn'],
  'aws:appautoscaling/target:Target': ['resourceId', 'scalableDimension', 'serviceNamespace'],
  'aws:appautoscaling/policy:Policy': ['resourceId', 'scalableDimension', 'serviceNamespace', 'name'],
};

/**
 * What `pulumi up` does when one run of the program follows another, and where it stops: by the rules that Pulumi's engine
 * (protection, ignored changes), its AWS provider and AWS were seen to keep with the real ones, as the project's notes say.
 */
export function deploymentSteps(before: readonly Registered[], after: readonly Registered[]): readonly Step[] {
  const old = new Map(before.map((resource) => [idOf(resource), resource]));
  const now = new Map(after.map((resource) => [idOf(resource), resource]));
  return [
    ...[...now].flatMap(([id, resource]) => stepOf(old.get(id), resource)),
    ...[...old].filter(([id, { custom }]) => custom && !now.has(id)).map(([, resource]) => deleteStep(resource)),
  ];
}

/** Pulumi knows a resource by its type, its name and the types above it; a move between parents would be a new resource. */
function idOf({ type, name, options }: Registered): string {
  return `${options.parent.split('::')[0]}$${type}::${name}`;
}

/** `dynamodb.Table orders`. */
function label({ type, name }: Registered): string {
  const [, module = '', kind = ''] = /^aws:(\w+)\/\w+:(\w+)$/.exec(type) ?? [];
  return `${module}.${kind} ${name}`;
}

function stepOf(old: Registered | undefined, resource: Registered): readonly Step[] {
  if (!resource.custom) return [];
  if (old === undefined) return [{ action: 'create', resource: label(resource), changed: [], refused: [] }];
  const { inputs, missing } = ignoring(old.inputs, resource.inputs, resource.options.ignoreChanges);
  const names = [...new Set([...Object.keys(old.inputs), ...Object.keys(inputs)])];
  const isTable = resource.type === 'aws:dynamodb/table:Table';
  const differs = (name: string) => textOf(old.inputs[name]) !== textOf(inputs[name]);
  const changed = names.filter((name) => differs(name) && !(isTable && isSuppressed(name, old.inputs, inputs)));
  const refused = [...missing, ...(isTable ? tableRefusals(old.inputs, inputs) : [])];
  if (changed.length === 0 && refused.length === 0) return [];
  // Every setting of a bucket is a resource of its own that belongs to one bucket.
  const fixedHere = fixed[resource.type] ?? (resource.type.startsWith('aws:s3/bucket') ? ['bucket'] : []);
  const isReplaced = changed.some((name) => fixedHere.includes(name));
  const held = isReplaced && old.options.protect ? [protectedText(old)] : [];
  return [{ action: isReplaced ? 'replace' : 'update', resource: label(resource), changed, refused: [...refused, ...held] }];
}

function deleteStep(resource: Registered): Step {
  const refused = resource.options.protect ? [protectedText(resource)] : [];
  return { action: 'delete', resource: label(resource), changed: [], refused };
}

function protectedText(resource: Registered): string {
  return `${label(resource)} cannot be deleted because it is protected`;
}

/** Pulumi takes an ignored value from the arguments of the last deployment; a place that they lack ends the deployment. */
export function ignoring(
  old: Inputs,
  next: Inputs,
  paths: readonly string[],
): { readonly inputs: Inputs; readonly missing: readonly string[] } {
  const inputs = structuredClone(next) as Record<string, unknown>;
  const missing: string[] = [];
  for (const path of paths) {
    const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
    const last = parts.at(-1) ?? '';
    const from = at(old, parts.slice(0, -1));
    const into = at(inputs, parts.slice(0, -1));
    if (from === undefined || into === undefined) missing.push(`${path}: one or more elements of the path are missing`);
    else if (from[last] === undefined) delete into[last];
    else into[last] = from[last];
  }
  return { inputs, missing };
}

function at(value: unknown, parts: readonly string[]): Record<string, unknown> | undefined {
  const found = parts.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value);
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The steps in a line for each kind: `update Table ×5: tags`. */
export function summary(steps: readonly Step[]): readonly string[] {
  const lines = steps.map(({ action, resource, changed }) => {
    const what = changed.length === 0 ? '' : `: ${changed.toSorted().join(', ')}`;
    return { start: `${action} ${resource.split(' ')[0]}`, what };
  });
  const counts = new Map<string, number>();
  for (const { start, what } of lines) counts.set(`${start}|${what}`, (counts.get(`${start}|${what}`) ?? 0) + 1);
  return [...counts].map(([line, count]) => line.replace('|', ` ×${count}`)).toSorted();
}

export function refusals(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ resource, refused }) => refused.map((text) => `${resource}: ${text}`));
}
