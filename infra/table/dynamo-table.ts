import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { projectName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../tables/model/stack/tags.ts';
import type { Table } from '../../tables/model/table.ts';
import { tableAlarms } from '../alarms/table-alarms.ts';
import type { TableShape } from '../shape/shape.ts';
import { scalingOf } from './autoscaling.ts';
import { tableArgs } from './table-args.ts';
import { tableOptions } from './table-options.ts';

export interface DynamoTableArgs {
  readonly table: Table;
  readonly config: StackConfig;
  readonly keyArn: pulumi.Input<string>;
  readonly topicArn: pulumi.Input<string>;
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
    super(`${projectName}:dynamodb:DynamoTable`, table.name, {}, options);
    this.resource = new aws.dynamodb.Table(
      table.name,
      { ...tableArgs(table, config, released), serverSideEncryption: { enabled: true, kmsKeyArn: keyArn } },
      { parent: this, ...tableOptions(table, config, released) },
    );
    this.#scale(table, config);
    this.#watch(args);
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
        { parent: this },
      );
    }
  }

  #watch({ table, config, topicArn }: DynamoTableArgs): void {
    for (const { id, ...alarm } of tableAlarms(table, config)) {
      new aws.cloudwatch.MetricAlarm(id, { ...alarm, alarmActions: [topicArn], okActions: [topicArn] }, { parent: this });
    }
  }
}
