import { dynamoClient, isAmazon } from '../../engine/aws/clients.ts';
import { findLacks } from '../../engine/aws/store/find-features.ts';
import { url } from '../../engine/cli/spec/values.js';
import { refuseLacking } from '../../engine/core/store/features.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { probeTables } from './probe-bed.ts';

/** Refuses an address that the suite cannot run on, in one sentence instead of a failure of every test. */
export async function checkEndpoint(endpoint: string): Promise<void> {
  if (url.read(endpoint) === undefined) {
    throw new TablewrightError('BAD_ARGUMENT', `--endpoint: expected ${url.expected}, found ${endpoint || 'an empty text'}`, {
      next: 'Give the address of a server, as in: npm run conformance -- --endpoint http://127.0.0.1:8000',
    });
  }
  if (isAmazon(endpoint)) {
    throw new TablewrightError('BAD_ARGUMENT', `${endpoint} is AWS itself, and the suite makes and deletes tables`, {
      next: 'Name a server of your own.',
    });
  }
  const client = dynamoClient({ region: 'us-east-1', endpoint });
  try {
    refuseLacking(await findLacks(client, { table: probeTables.table }), endpoint);
  } finally {
    client.destroy();
  }
}
