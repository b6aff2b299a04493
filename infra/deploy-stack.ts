import type * as pulumi from '@pulumi/pulumi';
import type { AwsPlace } from '../tables/model/stack/aws-place.ts';
import { type StackConfig, tablesOf } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { policiesOf } from './access/policies.ts';
import { rolesOf } from './access/roles.ts';
import { attachPolicies, createPolicies, createRoles } from './access/stack-access.ts';
import { createKey } from './access/stack-key.ts';
import { createDashboards, createStackAlarms, createTopic } from './alarms/stack-topic.ts';
import { createBackupPlan } from './backup-plan.ts';
import { ExportBucket } from './bucket/export-bucket.ts';
import { checkNames, derivedNames } from './check-names.ts';
import type { CatalogueShape } from './shape/shape.ts';
import { DynamoTable } from './table/dynamo-table.ts';
import { type TableOutputs, tableOutputs } from './table/table-outputs.ts';

export interface StackOutputs {
  readonly tables: Readonly<Record<string, TableOutputs>>;
  readonly keyArn: pulumi.Output<string>;
  readonly exportBucket: pulumi.Output<string>;
  readonly alarmTopicArn: pulumi.Output<string>;
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
): StackOutputs {
  const deployed = tablesOf(config, catalogue);
  const policySpecs = policiesOf(catalogue, config, place);
  const roleSpecs = rolesOf(config, place, policySpecs);
  checkNames(config.stack, derivedNames(deployed, config, policySpecs, roleSpecs));
  const roles = createRoles(config, roleSpecs);
  const key = createKey(
    config,
    place,
    roleSpecs.map(({ arn }) => arn),
    roles.map(({ resource }) => resource),
  );
  const topic = createTopic(config, place, key.arn);
  const tables = deployed.map((table) => {
    const shape = released[table.name];
    return [table, new DynamoTable({ table, config, keyArn: key.arn, topicArn: topic.arn, released: shape }).resource] as const;
  });
  createStackAlarms(config, topic);
  const dashboards = createDashboards(config, deployed);
  const bucket = new ExportBucket({ config, place, keyArn: key.arn });
  const policies = createPolicies(config, key.arn, policySpecs);
  attachPolicies(roles, policies);
  if (config.backups.enabled) {
    createBackupPlan(
      config,
      place,
      key.arn,
      tables.map(([, { arn }]) => arn),
    );
  }
  return {
    tables: Object.fromEntries(tables.map(([table, resource]) => [table.name, tableOutputs(table, config, resource)])),
    keyArn: key.arn,
    exportBucket: bucket.resource.bucket,
    alarmTopicArn: topic.arn,
    policyArns: arnsOf(policies),
    roleArns: arnsOf(roles),
    dashboards,
  };
}

interface WithArn {
  readonly spec: { readonly id: string };
  readonly resource: { readonly arn: pulumi.Output<string> };
}

function arnsOf(created: readonly WithArn[]): Readonly<Record<string, pulumi.Output<string>>> {
  return Object.fromEntries(created.map(({ spec, resource }) => [spec.id, resource.arn]));
}
