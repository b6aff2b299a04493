import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { type Answer, EngineFront, type Json, type Operations, Refusal, readObjects, type StoredObject } from './engine-front.ts';

interface Operation {
  readonly description: Json;
  readonly input: string;
  polls: number;
  done: boolean;
}

/** What the server saw and how it is to behave. */
export interface BulkServer {
  readonly endpoint: string;
  readonly calls: string[];
  /** Objects of every operation that was started, as they were read. */
  readonly objects: (readonly StoredObject[])[];
  /** How often an operation is described before it is done. */
  pollsUntilDone: number;
  /** Replicas and the state of indexes that DescribeTable shows. */
  replicas: readonly string[];
  indexStatus: string | undefined;
  tableStatus: string | undefined;
  /** The next operation ends so, having written this many items. */
  endNext: { readonly status: string; readonly written: number } | undefined;
  /** Keys of items whose condition is said to have failed. */
  readonly conditionFails: Set<string>;
  /** Keys of items that are said to be faulty. */
  readonly errors: Set<string>;
  /** Tokens are forgotten, as after eight hours. */
  forgetTokens(): void;
  /** As if none had ever been started. */
  forgetOperations(): void;
  /** The answer to the call of this number from now on is lost: it was carried out, and the connection is cut. */
  loseAnswer(at: number): void;
  close(): Promise<void>;
}

/**
 * Bulk put as its API reference describes it: states, tokens, what is refused. Items go to the engine behind it; everything else
 * passes through. The form of a report's lines is not documented where it could be read; this is one that says what it must.
 */
export async function startBulkServer(engineEndpoint: string, s3: S3Client, account = '123456789012'): Promise<BulkServer> {
  const server = new BulkBackend(engineEndpoint, s3, account);
  await server.front.listen();
  return server;
}

class BulkBackend implements BulkServer {
  readonly front: EngineFront;
  readonly calls: string[] = [];
  readonly objects: (readonly StoredObject[])[] = [];
  pollsUntilDone = 2;
  replicas: readonly string[] = [];
  indexStatus: string | undefined;
  tableStatus: string | undefined;
  endNext: { readonly status: string; readonly written: number } | undefined;
  readonly conditionFails = new Set<string>();
  readonly errors = new Set<string>();
  readonly #s3: S3Client;
  readonly #account: string;
  readonly #operations = new Map<string, Operation>();
  readonly #tokens = new Map<string, string>();
  #seen = 0;
  #lost: number | undefined;

  constructor(engine: string, s3: S3Client, account: string) {
    this.front = new EngineFront(engine, (operation, body) => this.#answer(operation, body));
    this.#s3 = s3;
    this.#account = account;
  }

  get endpoint(): string {
    return this.front.endpoint;
  }

  close(): Promise<void> {
    return this.front.close();
  }

  forgetTokens(): void {
    this.#tokens.clear();
  }

  forgetOperations(): void {
    this.#operations.clear();
    this.#tokens.clear();
  }

  loseAnswer(at: number): void {
    this.#seen = 0;
    this.#lost = at;
  }

  async #answer(operation: string, body: string): Promise<Answer | 'lost'> {
    this.calls.push(operation);
    const answer = await this.front.carryOut(this.#own, operation, body);
    this.#seen += 1;
    return this.#seen === this.#lost ? 'lost' : answer;
  }

  readonly #own: Operations = {
    DescribeTable: async (input) => {
      const { Table } = (await this.front.call('DescribeTable', input)) as { readonly Table: Json };
      const indexes = Table.GlobalSecondaryIndexes as readonly Json[] | undefined;
      const changed = indexes?.map((index) =>
        this.indexStatus === undefined ? index : { ...index, IndexStatus: this.indexStatus },
      );
      return {
        Table: {
          ...Table,
          ...(changed === undefined ? {} : { GlobalSecondaryIndexes: changed }),
          ...(this.replicas.length === 0 ? {} : { Replicas: this.replicas.map((RegionName) => ({ RegionName })) }),
          TableStatus: this.tableStatus ?? Table.TableStatus,
        },
      };
    },
    StartBulkPutItems: (input) => this.#start(input),
    DescribeBulkOperation: async ({ BulkOperationArn }) => {
      const found = this.#find(String(BulkOperationArn));
      found.polls += 1;
      if (!found.done && found.polls >= this.pollsUntilDone) await this.#finish(found);
      return { BulkOperationDescription: found.description };
    },
    ListBulkOperations: async () => ({
      BulkOperationsSummaryList: [...this.#operations.values()].map(({ description }) => ({
        BulkOperationArn: description.BulkOperationArn,
        BulkOperationStatus: description.BulkOperationStatus,
        StartTime: description.StartTime,
      })),
    }),
    CancelBulkOperation: async ({ BulkOperationArn }) => {
      const found = this.#find(String(BulkOperationArn));
      if (!found.done) {
        this.endNext = { status: 'CANCELLED', written: 1 };
        found.description.BulkOperationStatus = 'CANCELLING';
      }
      return { BulkOperationArn, BulkOperationStatus: 'CANCELLING' };
    },
  };

  #find(arn: string): Operation {
    const found = this.#operations.get(arn);
    if (found === undefined) throw new Refusal('ResourceNotFoundException', `Bulk operation not found: ${arn}`);
    return found;
  }

  async #start(input: Json): Promise<Json> {
    const { ClientToken, TableName, MaxWriteRequestUnits } = input;
    if (Number(MaxWriteRequestUnits) < 1_024)
      throw new Refusal('ValidationException', 'MaxWriteRequestUnits must be at least 1024');
    if (this.replicas.length > 0) throw new Refusal('ValidationException', 'Bulk put is not supported on global tables');
    const known = this.#tokens.get(String(ClientToken));
    if (known !== undefined) {
      const { description, input: before } = this.#find(known);
      if (before !== JSON.stringify(input)) throw new Refusal('IdempotentParameterMismatchException', 'other parameters');
      return { BulkOperationDescription: description };
    }
    const arn = `arn:aws:dynamodb:us-east-1:${this.#account}:table/${String(TableName)}/bulk-operation/${this.#operations.size + 1}`;
    const { TableName: _, ...described } = input;
    const description: Json = {
      ...described,
      TableDetails: [{ TableName, TableId: '00000000-0000-0000-0000-000000000000' }],
      BulkOperationArn: arn,
      BulkOperationStatus: 'IN_PROGRESS',
      StartTime: Math.floor(Date.now() / 1_000),
      ProcessedItemCount: 0,
      FailedItemCount: 0,
    };
    this.#operations.set(arn, { description, input: JSON.stringify(input), polls: 0, done: false });
    this.#tokens.set(String(ClientToken), arn);
    return { BulkOperationDescription: description };
  }

  async #finish(operation: Operation): Promise<void> {
    const { description } = operation;
    const source = description.InputS3Configuration as { readonly S3Bucket: string; readonly S3KeyPrefix: string };
    const objects = await readObjects(this.#s3, source.S3Bucket, source.S3KeyPrefix);
    this.objects.push(objects);
    const ending = this.endNext ?? { status: 'COMPLETED', written: Number.POSITIVE_INFINITY };
    this.endNext = undefined;
    const all = objects.flatMap(({ lines }) => lines.map((line) => (JSON.parse(line) as { readonly Item: Json }).Item));
    const some = all.slice(0, Math.min(all.length, ending.written));
    const of = (keys: ReadonlySet<string>) => some.filter((item) => keys.has((item.id as { readonly S: string }).S));
    const [failed, faulty] = [of(this.conditionFails), of(this.errors)];
    await this.front.put(
      String((description.TableDetails as readonly Json[])[0]?.TableName),
      some.filter((item) => !failed.includes(item) && !faulty.includes(item)),
    );
    await this.#report(description, 'CONDITION_CHECK_FAILURE', failed);
    await this.#report(description, 'ERROR', faulty);
    operation.done = true;
    Object.assign(description, {
      BulkOperationStatus: ending.status,
      EndTime: Math.floor(Date.now() / 1_000),
      ProcessedItemCount: some.length,
      FailedItemCount: faulty.length,
      ProcessedInputBytes: 100,
      TotalInputBytes: 100,
      BulkOperationUsage: [
        { TableName: (description.TableDetails as readonly Json[])[0]?.TableName, BulkPutBytes: 1_024 * some.length },
      ],
      ...(ending.status === 'FAILED' ? { FailureCode: 'InternalFailure', FailureMessage: 'it broke' } : {}),
    });
  }

  async #report(description: Json, OutputType: string, failed: readonly Json[]): Promise<void> {
    if (failed.length === 0) return;
    const { S3Bucket, S3KeyPrefix } = description.OutputS3Configuration as { S3Bucket: string; S3KeyPrefix: string };
    const lines = failed.map((Item) => JSON.stringify({ OutputType, Message: 'not written', Item }));
    const put = (name: string, Body: string) =>
      this.#s3.send(new PutObjectCommand({ Bucket: S3Bucket, Key: `${S3KeyPrefix}${name}`, Body }));
    await put(`${OutputType.toLowerCase()}/part-1.json`, `${lines.join('\n')}\n`);
    await put('manifest-summary.json', '{}');
  }
}
