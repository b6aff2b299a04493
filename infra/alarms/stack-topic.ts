import { createHash } from 'node:crypto';
import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { type AwsPlace, resourceName, type StackName, topicArn } from '../../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import type { Table } from '../../tables/model/table.ts';
import { fromAlarms } from '../access/key-policy.ts';
import { policyDocument } from '../access/statement.ts';
import type { Owned } from '../owned.ts';
import { dashboardBody } from './dashboard.ts';
import { stackAlarms } from './stack-alarms.ts';

export function topicName(config: StackName): string {
  return resourceName(config, 'alarms');
}

export function dashboardName(config: StackName, system: string): string {
  return resourceName(config, system);
}

/** The topic that every alarm of the stack goes to, and who hears of it. */
export function createTopic(config: StackConfig, place: AwsPlace, keyArn: pulumi.Input<string>, owned: Owned): aws.sns.Topic {
  const name = topicName(config);
  // The stack's own key: CloudWatch has no access to the key that SNS would take by itself.
  const topic = new aws.sns.Topic('alarms', { name, kmsMasterKeyId: keyArn, tags: { ...stackTags(config) } }, owned);
  const policy = policyDocument([
    {
      Sid: 'AlarmsPublish',
      Effect: 'Allow',
      Principal: { Service: `cloudwatch.${place.dnsSuffix}` },
      Action: 'sns:Publish',
      Resource: topicArn(place, name),
      Condition: fromAlarms(place, config),
    },
  ]);
  new aws.sns.TopicPolicy('alarms', { arn: topic.arn, policy }, { parent: topic });
  config.alarms.subscriptions.forEach(({ protocol, endpoint }, at) => {
    const args = { topic: topic.arn, protocol, endpoint: pulumi.secret(endpoint) };
    // Once they were known by their place in the list.
    const options = { parent: topic, aliases: [{ name: `alarms-${at}-${protocol}` }] };
    new aws.sns.TopicSubscription(subscriptionId(protocol, endpoint), args, options);
  });
  return topic;
}

/**
 * A subscription is known by whom it tells, not by its place in the list. SNS answers a second Subscribe of an endpoint with the
 * first one's ARN: if those behind moved up when one is taken out, the last would be subscribed anew, then deleted under its old
 * place, and nobody told any more. The endpoint may be a secret, so only a digest of it gets into the name.
 */
function subscriptionId(protocol: string, endpoint: string): string {
  return `alarms-${protocol}-${createHash('sha256').update(endpoint).digest('hex').slice(0, 8)}`;
}

/** The alarms that belong to no table. */
export function createStackAlarms(config: StackConfig, topic: aws.sns.Topic, owned: Owned): void {
  for (const { id, ...alarm } of stackAlarms(config)) {
    new aws.cloudwatch.MetricAlarm(id, { ...alarm, alarmActions: [topic.arn], okActions: [topic.arn] }, owned);
  }
}

/** A dashboard per system; the names by system. */
export function createDashboards(
  config: StackConfig,
  tables: readonly Table[],
  owned: Owned,
): Readonly<Record<string, pulumi.Output<string>>> {
  if (!config.dashboards) return {};
  const systems = [...new Set(tables.map(({ system }) => system))];
  return Object.fromEntries(
    systems.map((system) => {
      const body = dashboardBody(
        tables.filter((table) => table.system === system),
        config,
      );
      const args = { dashboardName: dashboardName(config, system), dashboardBody: JSON.stringify(body) };
      const dashboard = new aws.cloudwatch.Dashboard(system, args, owned);
      return [system, dashboard.dashboardName];
    }),
  );
}
