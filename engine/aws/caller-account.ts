import { isLoopback, stsClient } from './clients.ts';
import type { Patience } from './patience.ts';
import { storeError } from './store/store-error.ts';

/** The AWS account that the credentials belong to; undefined for a server on this machine, which has none. */
export async function callerAccount(
  region: string,
  endpoint: string | undefined,
  patience?: Patience,
): Promise<string | undefined> {
  if (endpoint !== undefined && isLoopback(endpoint)) return undefined;
  const { GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const client = await stsClient({ region, patience });
  try {
    return (await client.send(new GetCallerIdentityCommand({}))).Account;
  } catch (error) {
    throw storeError('account', error);
  } finally {
    client.destroy();
  }
}
