import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchExecuteStatementCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { updateStatement } from '../../../engine/core/migrate/statement.ts';
import { dynoxideStatement, speakDialect } from '../../../engine/local/dynoxide-dialect.ts';
import { text } from '../../../tables/model/attributes.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { defineTable } from '../../../tables/model/table.ts';
import { openSkewedProxy } from '../../support/skewed-proxy.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

const row = defineEntity({ name: 'ROW', description: 'A row', attributes: { id: text() }, derive: [] });
const rows = defineTable({ name: 'rows', system: 'test', namespace: 'rows', description: 'Rows', hash: 'id', entities: [row] });

const update = { key: { id: { S: '1' } }, set: { c: { S: 'C' }, d: { S: 'D' } }, remove: ['a', 'b'], guard: { e: undefined } };

describe('the embedded engine’s dialect', () => {
  const engine = useEngine([rows]);
  const fresh = () => dynamoClient({ region: testConfig.region, endpoint: engine().endpoint, maxAttempts: 1 });

  it('has one SET and one REMOVE with commas; names, texts and what follows WHERE stay', () => {
    expect(dynoxideStatement('UPDATE "t" SET "a"=? SET "b"=? REMOVE "c" REMOVE "d" WHERE "k"=?')).to.equal(
      'UPDATE "t" SET "a"=? , "b"=? REMOVE "c" , "d" WHERE "k"=?',
    );
    const odd = `UPDATE "SET t" SET "REMOVE"='SET it''s' REMOVE " SET " WHERE "SET"=? AND "REMOVE" IS MISSING`;
    expect(dynoxideStatement(odd)).to.equal(odd);
    const insert = `INSERT INTO "t" VALUE {'k': ?}`;
    expect(dynoxideStatement(insert)).to.equal(insert);
  });

  async function removeTwo(client: DynamoDBClient): Promise<unknown> {
    const name = physicalName(rows, testConfig);
    await engine().putRaw(rows, [{ id: { S: '1' }, a: { S: 'A' }, b: { S: 'B' } }]);
    const Statements = [updateStatement(name, update) ?? { Statement: '' }];
    const { Responses } = await client.send(new BatchExecuteStatementCommand({ Statements }));
    expect(Responses?.map(({ Error: error }) => error)).to.deep.equal([undefined]);
    return (await client.send(new GetItemCommand({ TableName: name, Key: update.key }))).Item;
  }

  it('is spoken from the first statement on, and after other requests', async () => {
    const client = speakDialect(fresh());
    expect(await removeTwo(client)).to.deep.equal({ id: { S: '1' }, c: { S: 'C' }, d: { S: 'D' } });
    expect(await removeTwo(client)).to.deep.equal({ id: { S: '1' }, c: { S: 'C' }, d: { S: 'D' } });
    client.destroy();
  });

  it('is spoken even where the first answer is a refusal for the clock: the statement goes again, in the right words', async () => {
    const proxy = await openSkewedProxy(engine().endpoint, 20);
    const client = speakDialect(dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint, maxAttempts: 1 }));
    try {
      const first = await removeTwo(client).catch((error: Error) => error.name);
      expect(first).to.equal('InvalidSignatureException');
      expect(await removeTwo(client)).to.deep.equal({ id: { S: '1' }, c: { S: 'C' }, d: { S: 'D' } });
      expect(proxy.refused()).to.equal(1);
    } finally {
      client.destroy();
      await proxy.close();
    }
  });

  it('is spoken to no other server: it gets what AWS takes', async () => {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += String(part);
      });
      request.on('end', () => {
        heard.push(...((JSON.parse(body) as { Statements?: { Statement: string }[] }).Statements ?? []).map((s) => s.Statement));
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"Responses":[]}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = speakDialect(dynamoClient({ region: 'us-east-1', endpoint, maxAttempts: 1 }));
    await client.send(new BatchExecuteStatementCommand({ Statements: [updateStatement('t', update) ?? { Statement: '' }] }));
    client.destroy();
    server.close();
    expect(heard).to.deep.equal(['UPDATE "t" SET "c"=? SET "d"=? REMOVE "a" REMOVE "b" WHERE "id"=? AND "e" IS MISSING']);
  });
});
