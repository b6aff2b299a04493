import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What a probe may use: a client without this toolkit's adapter, and tables of its own. */
export interface ProbeBed {
  readonly client: DynamoDBClient;
  /** Hash key `id` (S); index `byGroup` on `group` (S) and `rank` (N). */
  readonly table: string;
  /** Hash key `id` (S), range key `at` (N). */
  readonly sorted: string;
  /** Hash key `id` (S), TTL on `ttl`; the item `old` was put there when the bed was made. */
  readonly expiring: string;
}

/** A question to a server whose answer is a short text, the same every time. */
export interface Probe {
  readonly name: string;
  readonly ask: (bed: ProbeBed) => Promise<string>;
  /** What the toolkit does where servers differ in it. A difference without a word on it fails the suite. */
  readonly toolkit?: string;
}

/** `ValidationException`, or `taken`. */
export async function verdict(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'taken',
    (error: Error) => error.name,
  );
}
