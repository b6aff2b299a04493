import * as pulumi from '@pulumi/pulumi';
import { checkCatalogue } from '../tables/model/prove.ts';
import type { CatalogueShape } from '../tables/model/shape/shape.ts';
import type { AwsPlace } from '../tables/model/stack/aws-place.ts';
import { projectName, type StackConfig, tablesOf } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { checkBoundary } from './access/boundary.ts';
import { createBoundary, createCiRoles } from './access/ci-roles.ts';
import { type PolicySpec, policiesOf } from './access/policies.ts';
import { type RoleSpec, rolesOf } from './access/roles.ts';
import { attachPolicies, type CreatedRole, createPolicies, createRoles } from './access/stack-access.ts';
import { createKey } from './access/stack-key.ts';
import { createDashboards, createStackAlarms, createTopic } from './alarms/stack-topic.ts';
import { backedUp, createBackupPlan } from './backup-plan.ts';
import { ExportBucket } from './bucket/export-bucket.ts';
import { checkNames, derivedNames } from './check-names.ts';
import { registersSomething } from './idle-program.ts';
import { ownedBy } from './owned.ts';
import { createRunner } from './runner/runner.ts';
import { checkBundle } from './schedule/bundle.ts';
import { createJobs } from './schedule/jobs.ts';
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

export interface ProjectStackArgs {
  readonly catalogue: readonly Table[];
  readonly config: StackConfig;
  readonly place: AwsPlace;
  /** The catalogue as it was last deployed everywhere; tables that are new are not in it. */
  readonly released: CatalogueShape;
  /** The project's folder. */
  readonly root: string;
}

/**
 * Everything that a stack of a project consists of. What is wrong is found before the first resource is registered; the parts are made in
 * the order in which they need each other.
 */
export class ProjectStack extends pulumi.ComponentResource {
  readonly outputs: StackOutputs;

  constructor(args: ProjectStackArgs, options?: pulumi.ComponentResourceOptions) {
    const { catalogue, config, place, root } = args;
    const deployed = tablesOf(config, catalogue);
    const policySpecs = policiesOf(catalogue, config, place);
    const roleSpecs = rolesOf(config, place, policySpecs);
    checkCatalogue(catalogue);
    checkBoundary(config, place, deployed);
    checkBundle(root, config);
    checkNames(config.stack, derivedNames(deployed, config, policySpecs, roleSpecs, place));
    super(`${projectName}:index:ProjectStack`, config.project, {}, options);
    registersSomething();
    this.outputs = this.#create(args, deployed, policySpecs, roleSpecs);
    this.registerOutputs(this.outputs);
  }

  #create(
    { config, place, released, root }: ProjectStackArgs,
    deployed: readonly Table[],
    policySpecs: readonly PolicySpec[],
    roleSpecs: readonly RoleSpec[],
  ): StackOutputs {
    const owned = ownedBy(this);
    const boundary = createBoundary(config, place, deployed, owned);
    const roles = createRoles(config, roleSpecs, boundary?.arn, owned);
    const key = config.ephemeral ? undefined : createKey(config, place, arnsIn(roleSpecs), resourcesIn(roles), owned);
    const topic = key === undefined ? undefined : createTopic(config, place, key.arn, owned);
    const tables = deployed.map((table) => {
      const args = { table, config, keyArn: key?.arn, topicArn: topic?.arn, released: released[table.name] };
      return [table, new DynamoTable(args, owned).resource] as const;
    });
    if (topic !== undefined) createStackAlarms(config, topic, owned);
    const dashboards = createDashboards(config, deployed, owned);
    const bucket = new ExportBucket({ config, place, keyArn: key?.arn }, owned);
    const policies = createPolicies(config, key?.arn, policySpecs, owned);
    attachPolicies(roles, policies);
    createJobs({ config, place, root, policies, boundaryArn: boundary?.arn, owned });
    createRunner({ config, place, root, policies, boundaryArn: boundary?.arn, key, topicArn: topic?.arn, owned });
    const ciRoles = createCiRoles({ config, place, tables: deployed, policies, boundary, owned });
    if (config.backups.enabled && key !== undefined) {
      const saved = backedUp(deployed, config);
      const tableArns = tables.flatMap(([table, { arn }]) => (saved.includes(table) ? [arn] : []));
      createBackupPlan({ config, place, keyArn: key.arn, tableArns, boundaryArn: boundary?.arn, owned });
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
