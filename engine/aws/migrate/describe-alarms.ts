import type { AlarmLook, Alarms, RingingAlarm } from '../../core/migrate/alarms.ts';
import type { CloudWatchClient } from '../command-clients.ts';
import { storeError } from '../store/store-error.ts';

/** CloudWatch API reference, DescribeAlarms: at most 100 names and 100 records. */
const namesPerCall = 100;

/** Alarms of CloudWatch by their names, metric alarms and composite ones. */
export function describedAlarms(open: () => Promise<CloudWatchClient>, names: readonly string[]): Alarms {
  return {
    names,
    look: async (signal) => {
      try {
        const client = await open();
        const starts = Array.from({ length: Math.ceil(names.length / namesPerCall) }, (_, at) => at * namesPerCall);
        const looks = await Promise.all(
          starts.map((start) => describe(client, names.slice(start, start + namesPerCall), signal)),
        );
        return { ringing: looks.flatMap(({ ringing }) => ringing), missing: looks.flatMap(({ missing }) => missing) };
      } catch (error) {
        throw storeError('CloudWatch alarms', error);
      }
    },
  };
}

async function describe(client: CloudWatchClient, names: readonly string[], signal?: AbortSignal): Promise<AlarmLook> {
  // Loaded when it is needed: most runs watch no alarms.
  const { DescribeAlarmsCommand } = await import('@aws-sdk/client-cloudwatch');
  const command = new DescribeAlarmsCommand({
    AlarmNames: [...names],
    AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
    MaxRecords: namesPerCall,
  });
  const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(
    command,
    signal === undefined ? {} : { abortSignal: signal },
  );
  const found = [...MetricAlarms, ...CompositeAlarms];
  const known = new Set(found.map(({ AlarmName }) => AlarmName));
  const ringing = found
    .filter(({ StateValue }) => StateValue === 'ALARM')
    .map(({ AlarmName = '', StateReason = '' }): RingingAlarm => ({ name: AlarmName, reason: StateReason }));
  return { ringing, missing: names.filter((name) => !known.has(name)) };
}
