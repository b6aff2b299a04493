import type { ApplicationAutoScalingClient } from '@aws-sdk/client-application-auto-scaling';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SFNClient } from '@aws-sdk/client-sfn';
import type { STSClient } from '@aws-sdk/client-sts';
import { type ClientOptions, clientSettings } from './clients.ts';

/**
 * The clients that commands need and applications do not. Their packages are loaded when they are needed, for few commands
 * need any; they lie apart from the other, so that an application is bundled without them.
 */
export type {
  ApplicationAutoScalingClient,
  CloudFormationClient,
  CloudWatchClient,
  CloudWatchLogsClient,
  LambdaClient,
  S3Client,
  SFNClient,
};

export async function s3Client(options: ClientOptions): Promise<S3Client> {
  const loaded = await import('@aws-sdk/client-s3');
  return new loaded.S3Client({ ...clientSettings(options), forcePathStyle: options.endpoint !== undefined });
}

export async function logsClient(options: ClientOptions): Promise<CloudWatchLogsClient> {
  const loaded = await import('@aws-sdk/client-cloudwatch-logs');
  return new loaded.CloudWatchLogsClient(clientSettings(options));
}

/** For the alarms of a stack. Always AWS itself: a compatible server has none. */
export async function cloudWatchClient(options: Omit<ClientOptions, 'endpoint'>): Promise<CloudWatchClient> {
  const loaded = await import('@aws-sdk/client-cloudwatch');
  return new loaded.CloudWatchClient(clientSettings(options));
}

/** For what scales provisioned tables. A server that stands for all of AWS is asked, too. */
export async function scalingClient(options: ClientOptions): Promise<ApplicationAutoScalingClient> {
  const loaded = await import('@aws-sdk/client-application-auto-scaling');
  return new loaded.ApplicationAutoScalingClient(clientSettings(options));
}

/** For templates of stacks that own tables; as `cloudWatchClient`. */
export async function cloudFormationClient(options: Omit<ClientOptions, 'endpoint'>): Promise<CloudFormationClient> {
  const loaded = await import('@aws-sdk/client-cloudformation');
  return new loaded.CloudFormationClient(clientSettings(options));
}

/** For the triggers of a table; as `cloudWatchClient`. */
export async function lambdaClient(options: Omit<ClientOptions, 'endpoint'>): Promise<LambdaClient> {
  const loaded = await import('@aws-sdk/client-lambda');
  return new loaded.LambdaClient(clientSettings(options));
}

/** Always AWS itself: a compatible server has no accounts. */
export async function stsClient(options: Omit<ClientOptions, 'endpoint'>): Promise<STSClient> {
  const loaded = await import('@aws-sdk/client-sts');
  return new loaded.STSClient(clientSettings(options));
}

/** For the executions of a stack's runner. A server that stands for Step Functions is asked, too. */
export async function sfnClient(options: ClientOptions): Promise<SFNClient> {
  const loaded = await import('@aws-sdk/client-sfn');
  return new loaded.SFNClient(clientSettings(options));
}
