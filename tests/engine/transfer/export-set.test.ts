import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateTableCommand, DeleteTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { pageStore } from '../../../engine/aws/transfer/page-store.ts';
import { schemaStore } from '../../../engine/aws/transfer/schema-store.ts';
import { batchWriteStore } from '../../../engine/aws/write/batch-write-store.ts';
import type { BlobStore } from '../../../engine/core/transfer/blob-store.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { exportSet } from '../../../engine/run/transfer/export-set.ts';
import { exportTable } from '../../../engine/run/transfer/export-table.ts';
import { makeTable } from '../../../engine/run/transfer/make-table.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { parseSchema, printSchema, type SchemaStore, type TableSchema } from '../../../tables/model/transfer/table-schema.ts';
import { mortality } from '../../support/mortality.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import {
  contentOf,
  exportEnvironment,
  exportRequest,
  importFrom,
  itemsOf,
  plainTable,
  useFolder,
} from '../../support/transfer-bed.ts';

const sources = [plainTable('set-one'), plainTable('set-two', 'N')];
const stranger = plainTable('set-stranger');
const mostRequests = 400;

describe('several tables as one set', () => {
  const engine = useEngine([...sources, ledger]);
  const folder = useFolder();
  const members = sources.map(({ name }) => ({ table: name, tableName: `${name}-test` }));

  before(async () => {
    const [one, two] = sources;
    if (one === undefined || two === undefined) return;
    await engine().putRaw(
      one,
      Array.from({ length: 40 }, (_, at) => ({ id: { S: `item-${at}` } })),
    );
    await engine().putRaw(
      two,
      Array.from({ length: 25 }, (_, at) => ({ id: { N: String(at) } })),
    );
  });

  function exporting(target: BlobStore, mortal: <T extends object>(whole: T) => T = (whole) => whole) {
    const place = mortal(target);
    return exportSet(
      {
        target: place,
        nowMs: Date.now,
        exportOne: ({ table }, at) => {
          const source = sources.find(({ name }) => name === table) ?? stranger;
          const environment = exportEnvironment(engine(), at, { store: mortal(pageStore(engine().client)) });
          return exportTable(environment, exportRequest(engine(), source, { segments: 1 }));
        },
      },
      members,
      '{}',
    );
  }

  it('is no set before its last file; killed at every request and run again, it holds every item once', async () => {
    let kills = 0;
    let exports = 0;
    for (let limit = 0; limit < mostRequests; limit += 1) {
      const directory = join(folder(), `set-${limit}`);
      const { state, mortal } = mortality(limit);
      await exporting(directoryBlobStore(directory), mortal).catch(() => undefined);
      if (!state.dead) break;
      kills += 1;
      const names = (await directoryBlobStore(directory).list('')).map(({ name }) => name);
      const declared = names.includes('export-set.json');
      // What a process that is really killed may leave of a file.
      if (names.length > 0) await writeFile(join(directory, `${names.at(-1)}.0badc0de.partial`), 'half');
      const again = await exporting(directoryBlobStore(directory));
      expect(again.outcome, `after ${limit} requests`).to.equal('complete');
      if (again.outcome !== 'complete') continue;
      expect(again.set.tables.map(({ table, items }) => [table, items])).to.deep.equal([
        ['set-one', 40],
        ['set-two', 25],
      ]);
      const summaries = (await directoryBlobStore(directory).list('')).filter(({ name }) =>
        name.endsWith('manifest-summary.json'),
      );
      // A set that was declared complete is not gone on with: the same command makes another one.
      expect(summaries, `after ${limit} requests`).to.have.length(declared ? 4 : 2);
      exports += summaries.length;
      expect(await directoryBlobStore(directory).list('_export-set.json')).to.deep.equal([]);
    }
    expect(kills).to.be.greaterThan(30);
    expect(exports).to.be.greaterThan(60);
  });

  it('leaves no half-written file of a killed run in an export that is gone on with', async () => {
    const directory = join(folder(), 'partial');
    const stop = new AbortController();
    const environment = exportEnvironment(engine(), directoryBlobStore(directory), { signal: stop.signal });
    const request = exportRequest(engine(), sources[0] ?? stranger, { segments: 1 });
    stop.abort();
    const { id } = await exportTable(environment, request);
    const data = join(directory, 'AWSDynamoDB', id, 'data', 's0000-000001.json.gz.0badc0de.partial');
    await directoryBlobStore(directory).write(`AWSDynamoDB/${id}/data/x`, new Uint8Array());
    await writeFile(data, 'half');
    await exportTable(exportEnvironment(engine(), directoryBlobStore(directory)), request);
    expect((await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.partial'))).to.deep.equal([]);
  });

  describe('with a table that no catalogue has', () => {
    const tableName = physicalName(stranger, testConfig);
    const key = [
      { AttributeName: 'id', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ] as const;

    async function create(): Promise<void> {
      await engine().client.send(
        new CreateTableCommand({
          TableName: tableName,
          KeySchema: [...key],
          AttributeDefinitions: ['id', 'at', 'by'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
          BillingMode: 'PAY_PER_REQUEST',
          GlobalSecondaryIndexes: [
            {
              IndexName: 'by-whom',
              KeySchema: [{ AttributeName: 'by', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] },
            },
          ],
          LocalSecondaryIndexes: [
            {
              IndexName: 'local',
              KeySchema: [
                { AttributeName: 'id', KeyType: 'HASH' },
                { AttributeName: 'by', KeyType: 'RANGE' },
              ],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          ],
          Tags: [{ Key: 'owner', Value: 'ana' }],
        }),
      );
      const TimeToLiveSpecification = { Enabled: true, AttributeName: 'gone_at' };
      await engine().client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
    }

    it('keeps what the table is, and makes it again wherever the import was killed', async () => {
      await create();
      const items = Array.from({ length: 30 }, (_, at) => ({ id: { S: `item-${at}` }, at: { S: `${at}` }, by: { S: 'ana' } }));
      const table = { ...stranger, key: { hash: { name: 'id', type: 'S' }, range: { name: 'at', type: 'S' } } } as const;
      await engine().putRaw(table, items);
      const schemas = schemaStore(engine().client);
      const schema = await schemas.describe(tableName);
      if (schema === undefined) throw new Error('the table is there');
      const environment = exportEnvironment(engine(), directoryBlobStore(join(folder(), 'stranger')));
      const request = exportRequest(engine(), table, { schema: printSchema(schema) });
      const { id } = await exportTable(environment, request);
      const place = join(folder(), 'stranger', 'AWSDynamoDB', id);
      const kept = JSON.parse(await readFile(join(place, 'schema.json'), 'utf8'));
      expect(kept).to.deep.include({ TableName: tableName, TimeToLive: { AttributeName: 'gone_at' } });
      expect(kept.Tags).to.deep.equal([{ Key: 'owner', Value: 'ana' }]);
      expect(kept.LocalSecondaryIndexes).to.have.length(1);
      expect(JSON.stringify(kept)).not.to.contain('arn:');
      const wanted = await contentOf(engine(), table);
      let kills = 0;
      for (let limit = 0; limit < mostRequests; limit += 1) {
        await engine().client.send(new DeleteTableCommand({ TableName: tableName }));
        await engine().removeRaw(ledger, await itemsOf(engine(), ledger));
        const { state, mortal } = mortality(limit);
        const run = async (around: <T extends object>(whole: T) => T): Promise<void> => {
          const store = around(engine().environment.store);
          const sleep = async (): Promise<void> => undefined;
          await makeTable({ store, schemas: around<SchemaStore>(schemas), sleep }, tableName, schema);
          await importFrom(engine(), table, place, {}, { store, writes: around(batchWriteStore(engine().client)) });
        };
        await run(mortal).catch(() => undefined);
        if (!state.dead) break;
        kills += 1;
        await run((whole) => whole);
        expect(await contentOf(engine(), table), `after ${limit} requests`).to.deep.equal(wanted);
        expect(await schemas.describe(tableName), `after ${limit} requests`).to.deep.equal(schema);
      }
      expect(kills).to.be.greaterThan(8);
    });

    it('keeps capacities, limits, the stream, encryption and protection, and no ARN', async () => {
      const most = { MaxReadRequestUnits: 100, MaxWriteRequestUnits: 50 };
      const described = {
        TableName: tableName,
        TableArn: 'arn:table',
        TableStatus: 'ACTIVE',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: ['id', 'by'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
        OnDemandThroughput: most,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
        LatestStreamArn: 'arn:stream',
        SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: 'arn:key' },
        TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' },
        DeletionProtectionEnabled: true,
        GlobalSecondaryIndexes: [
          {
            IndexName: 'by-whom',
            IndexArn: 'arn:index',
            IndexStatus: 'ACTIVE',
            KeySchema: [{ AttributeName: 'by', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
            OnDemandThroughput: most,
          },
        ],
      };
      const sent: { readonly name: string; readonly input: object }[] = [];
      const send = async ({
        constructor: { name },
        input,
      }: {
        readonly constructor: { readonly name: string };
        readonly input: object;
      }) => {
        sent.push({ name, input });
        return { Table: described, TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' }, Tags: [] };
      };
      const schemas = schemaStore({ send } as unknown as Parameters<typeof schemaStore>[0]);
      const schema = await schemas.describe(tableName);
      const text = printSchema(schema as TableSchema);
      expect(text).not.to.contain('arn:');
      const read = parseSchema(text);
      expect(read).to.deep.equal(schema);
      await schemas.create(read as TableSchema, 'made');
      const created = sent.find(({ name }) => name === 'CreateTableCommand')?.input;
      expect(created).to.deep.include({ TableName: 'made', OnDemandThroughput: most, DeletionProtectionEnabled: true });
      expect(created).to.deep.include({
        SSESpecification: { Enabled: true, SSEType: 'KMS' },
        TableClass: 'STANDARD_INFREQUENT_ACCESS',
      });
      expect(created).to.have.nested.property('StreamSpecification.StreamViewType', 'NEW_IMAGE');
      expect(created).to.have.nested.property('GlobalSecondaryIndexes[0].OnDemandThroughput').that.deep.equals(most);
    });
  });
});
