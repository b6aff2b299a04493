import { TablewrightError } from '../../../tables/model/error.ts';
import { throttleAlarmNames } from '../../../tables/model/stack/alarm-names.ts';
import { isAmazon } from '../../aws/clients.ts';
import { type CloudWatchClient, cloudWatchClient, type LambdaClient, lambdaClient } from '../../aws/command-clients.ts';
import { describedAlarms } from '../../aws/migrate/describe-alarms.ts';
import type { Alarms } from '../../core/migrate/alarms.ts';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';

/** What AWS has beside DynamoDB; each client is made when it is first asked for. */
export interface AwsBeside {
  /** Undefined for a server that is not AWS: there is no Lambda beside it. */
  readonly lambda: (() => Promise<LambdaClient>) | undefined;
  readonly cloudWatch: () => Promise<CloudWatchClient>;
  close(): void;
}

export const isAws = ({ name, endpoint }: OpenStack): boolean =>
  name !== localStack && (endpoint === undefined || isAmazon(endpoint));

export function awsBeside(stack: OpenStack): AwsBeside {
  const { config, patience } = stack;
  const made: { destroy(): void }[] = [];
  const once = <T extends { destroy(): void }>(make: () => Promise<T>): (() => Promise<T>) => {
    let client: Promise<T> | undefined;
    return () => {
      client ??= make().then((one) => {
        made.push(one);
        return one;
      });
      return client;
    };
  };
  const options = { region: config.region, patience };
  return {
    lambda: isAws(stack) ? once(() => lambdaClient(options)) : undefined,
    cloudWatch: once(() => cloudWatchClient(options)),
    close: () => {
      for (const client of made.splice(0)) client.destroy();
    },
  };
}

/** The alarms that a run holds still for: those of the stack's file, else the stack's own throttle alarms. */
export function alarmsOf(stack: OpenStack, beside: AwsBeside): Alarms {
  const { config, tables } = stack;
  if (!isAws(stack)) {
    const where = stack.name === localStack ? 'the local stack' : `the server at ${stack.endpoint}`;
    throw new TablewrightError('BAD_ARGUMENT', `--pause-on-alarm: ${where} has no alarms`, {
      next: 'Leave it out; it is for stacks on AWS.',
    });
  }
  const names = config.pauseOnAlarms ?? throttleAlarmNames(tables, config);
  if (names.length > 0) return describedAlarms(beside.cloudWatch, names);
  throw new TablewrightError('BAD_ARGUMENT', `--pause-on-alarm: the stack ${config.stack} has no throttle alarms`, {
    next: `Name alarms in Pulumi.${config.stack}.yaml (tablewright:pauseOnAlarms), or switch its own on (tablewright:alarms).`,
  });
}
