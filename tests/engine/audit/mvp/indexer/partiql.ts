import { BatchExecuteStatementCommand, ExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { doc, raw } from '../lib/dynamo';

export const open = (marketId: string) =>
  raw.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "orders" WHERE marketId = '${marketId}' AND side = 'Buy'` })); // finds: partiql-select orders markets.orders.bestBids

export const everything = () => doc.executeStatement({ Statement: 'SELECT id, title FROM markets' }); // finds: partiql-select markets -

export const either = (id: string) =>
  raw.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "orders" WHERE id = '${id}' OR owner = '${id}'` })); // finds: partiql-select orders -

export const oneOrder = (id: string) =>
  raw.send(new ExecuteStatementCommand({ Statement: 'SELECT * FROM "orders" WHERE id = ?', Parameters: [{ S: id }] }));

export const someOrders = () =>
  raw.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "orders" WHERE id IN ['a', 'b'] AND price BETWEEN 1 AND 2` }));

export const byOwner = (owner: string) =>
  raw.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "orders"."orders_by_owner" WHERE gsi3pk = '${owner}'` }));

export const touch = () =>
  raw.send(
    new BatchExecuteStatementCommand({ // finds: partiql-select trades -
      Statements: [
        { Statement: `UPDATE "orders" SET remaining = 0 WHERE id = 'a'` },
        { Statement: 'SELECT * FROM trades WHERE price > 3' },
      ],
    }),
  );
