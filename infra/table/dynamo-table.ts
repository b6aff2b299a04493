import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { checkCatalogue } from '../../tables/model/prove.ts';
import type { TableShape } from '../../tables/model/shape/shape.ts';
import { contributorInsights } from '../../tables/model/stack/insights.ts';
import { scalingOf } from '../../tables/model/stack/scaling.ts';
import { projectName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../tables/model/stack/tags.ts';
import type { Table } from '../../tables/model/table.ts';
import { tableAlarms } from '../alarms/table-alarms.ts';
import { registersSomething } from '../idle-program.ts';
import { tableArgs } from './table-args.ts';
import { tableOptions } from './table-options.ts';

export interface DynamoTableArgs {
  readonly table: Table;
  readonly config: StackConfig;
  /** Of the stack; undefined where it uses AWS's key and has no alarms. */
  readonly keyArn: pulumi.Input<string> | undefined;
  readonly topicArn: pulumi.Input<string> | undefined;
  /** The table as it was last released; undefined for a new one. */
  readonly released: TableShape | undefined;
}

/**
 * A table with its scaling and alarms. The logical name is the table's name in the catalogue, so that neither the order
 * of the catalogue nor a stack's suffix changes which resource it is.
 */
export class DynamoTable extends pulumi.ComponentResource {
  readonly resource: aws.dynamodb.Table;

  constructor(args: DynamoTableArgs, options?: pulumi.ComponentResourceOptions) {
    const { table, config, keyArn, released } = args;
    checkCatalogue([table]);
    super(`${projectName}:dynamodb:DynamoTable`, table.name, {}, options);
    registersSomething();
    this.resource = new aws.dynamodb.Table(
      table.name,
      {
        ...tableArgs(table, config, released),
        serverSideEncryption: { enabled: true, ...(keyArn === undefined ? {} : { kmsKeyArn: keyArn }) },
      },
      { parent: this, ...tableOptions(table, config, released) },
    );
    this.#scale(table, config);
    this.#watch(args);
    this.#countKeys(table, config);
    this.registerOutputs({ name: this.resource.name, arn: this.resource.arn });
  }

  #scale(table: Table, config: StackConfig): void {
    for (const scaling of scalingOf(table, config)) {
      const name = `${table.name}-${scaling.name}`;
      const { resourceId, scalableDimension, minCapacity, maxCapacity, predefinedMetricType, targetValue } = scaling;
      const target = new aws.appautoscaling.Target(
        name,
        {
          serviceNamespace: 'dynamodb',
          resourceId,
          scalableDimension,
          minCapacity,
          maxCapacity,
          tags: { ...tableTags(table, config) },
        },
        { parent: this, dependsOn: [this.resource] },
      );
      new aws.appautoscaling.Policy(
        name,
        {
          policyType: 'TargetTrackingScaling',
          serviceNamespace: target.serviceNamespace,
          resourceId: target.resourceId,
          scalableDimension: target.scalableDimension,
          targetTrackingScalingPolicyConfiguration: { targetValue, predefinedMetricSpecification: { predefinedMetricType } },
        },
        // Named by whoever made it where it was adopted, and DynamoDB takes no second one on the same metric.
        { parent: this, ignoreChanges: ['name'] },
      );
    }
  }

  #countKeys(table: Table, config: StackConfig): void {
    for (const { id, ...args } of contributorInsights(table, config)) {
      new aws.dynamodb.ContributorInsights(id, args, { parent: this, dependsOn: [this.resource] });
    }
  }

  #watch({ table, config, topicArn }: DynamoTableArgs): void {
    if (topicArn === undefined) return;
    for (const { id, ...alarm } of tableAlarms(table, config)) {
      new aws.cloudwatch.MetricAlarm(id, { ...alarm, alarmActions: [topicArn], okActions: [topicArn] }, { parent: this });
    }
  }
}
