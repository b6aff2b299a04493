import type { WriteRequest } from '../../core/write/write-request.ts';
import type { WriteOptions, WriteResult } from './write-options.ts';
import { type Requests, WriteRun } from './write-run.ts';

/**
 * Carries out put and delete requests for any tables within their budgets, as batches. Every request read from the source
 * ends acknowledged or in the dead letters, unless the run is aborted or throws; then what was not acknowledged may or
 * may not be written, and sending it again is harmless. Requests of one key take effect in their order.
 *
 * The store's client must not retry by itself (`maxAttempts: 1`): refusals have to reach the limiter.
 */
export async function writeAll<R extends WriteRequest>(requests: Requests<R>, options: WriteOptions<R>): Promise<WriteResult> {
  return new WriteRun(options).run(requests);
}
