import type * as pulumi from '@pulumi/pulumi';
import type { AwsPlace } from '../tables/model/stack/aws-place.ts';
import { type StackConfig, tablesOf } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { createBoundary, createCiRoles } from './access/ci-roles.ts';
import { policiesOf } from './access/policies.ts';
import { type RoleSpec, rolesOf } from './access/roles.ts';
import { attachPolicies, type CreatedRole, createPolicies, createRoles } from './access/stack-access.ts';
import { createKey } from './access/stack-key.ts';
import { createDashboards, createStackAlarms, createTopic } from './alarms/stack-topic.ts';
import { backedUp, createBackupPlan } from './backup-plan.ts';
import { ExportBucket } from './bucket/export-bucket.ts';
import { checkNames, derivedNames } from './check-names.ts';
import { createJobs } from './schedule/jobs.ts';
import type { CatalogueShape } from './shape/shape.ts';
import { DynamoTable } from './table/dynamo-table.ts';
import { type TableOutputs, tableOutputs } from './table/table-outputs.ts';

export interface StackOutputs {
  readonly tables: Readonly<Record<string, TableOutputs>>;
  /** None in an ephemeral stack. */
  readonly keyArn?: pulumi.Output<string>;
  readonly exportBucket: pulumi.Output<string>;
  readonly alarmTopicArn?: pulumi.Output<string>;
  readonly policyArns: Readonly<Record<string, pulumi.Output<string>>>;
  readonly roleArns: Readonly<Record<string, pulumi.Output<string>>>;
  readonly dashboards: Readonly<Record<string, pulumi.Output<string>>>;
}

/** Everything that a stack consists of, in the order in which its parts need each other. */
export function deployStack(
  catalogue: readonly Table[],
  config: StackConfig,
  place: AwsPlace,
  released: CatalogueShape,
  root: string,
): StackOutputs {
  const deployed = tablesOf(config, catalogue);
  const policySpecs = policiesOf(catalogue, config, place);
  const roleSpecs = rolesOf(config, place, policySpecs);
  checkNames(config.stack, derivedNames(deployed, config, policySpecs, roleSpecs));
  const boundary = createBoundary(config, place, deployed);
  const roles = createRoles(config, roleSpecs, boundary?.arn);
  const key = config.ephemeral ? undefined : createKey(config, place, arnsIn(roleSpecs), resourcesIn(roles));
  const topic = key === undefined ? undefined : createTopic(config, place, key.arn);
  const tables = deployed.map((table) => {
    const args = { table, config, keyArn: key?.arn, topicArn: topic?.arn, released: released[table.name] };
    return [table, new DynamoTable(args).resource] as const;
  });
  if (topic !== undefined) createStackAlarms(config, topic);
  const dashboards = createDashboards(config, deployed);
  const bucket = new ExportBucket({ config, place, keyArn: key?.arn });
  const policies = createPolicies(config, key?.arn, policySpecs);
  attachPolicies(roles, policies);
  createJobs({ config, place, root, policies, boundaryArn: boundary?.arn });
  const ciRoles = createCiRoles({ config, place, tables: deployed, policies, boundary });
  if (config.backups.enabled && key !== undefined) {
    const saved = backedUp(deployed, config);
    const arns = tables.flatMap(([table, { arn }]) => (saved.includes(table) ? [arn] : []));
    createBackupPlan(config, place, key.arn, arns, boundary?.arn);
  }
  return {
    tables: Object.fromEntries(tables.map(([table, resource]) => [table.name, tableOutputs(table, config, resource)])),
    ...(key === undefined || topic === undefined ? {} : { keyArn: key.arn, alarmTopicArn: topic.arn }),
    exportBucket: bucket.resource.bucket,
    policyArns: arnsOf(policies),
    roleArns: { ...arnsOf(roles), ...ciRoles },
    dashboards,
  };
}

const arnsIn = (specs: readonly RoleSpec[]): readonly string[] => specs.map(({ arn }) => arn);
const resourcesIn = (roles: readonly CreatedRole[]): readonly pulumi.Resource[] => roles.map(({ resource }) => resource);

interface WithArn {
  readonly spec: { readonly id: string };
  readonly resource: { readonly arn: pulumi.Output<string> };
}

function arnsOf(created: readonly WithArn[]): Readonly<Record<string, pulumi.Output<string>>> {
  return Object.fromEntries(created.map(({ spec, resource }) => [spec.id, resource.arn]));
}
