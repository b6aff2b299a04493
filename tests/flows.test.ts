import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { DirectWire } from '../engine/aws/wire/direct-wire.ts';
import { sleep } from '../engine/cli/read-environment.ts';
import { ensureTable } from '../engine/run/tables/ensure-tables.ts';
import { parseStackConfig } from '../tables/model/stack/stack-config.ts';
import { tables } from './support/project.ts';
import { repository } from './support/run-cli.ts';
import { runMain } from './support/run-main.ts';
import { useEngine } from './support/test-engine.ts';

/** What every command begins with; the ways are told from the command on. */
const beforeTheCommand = new Set(['engine/cli/main.js', 'engine/cli/run-command.ts']);

/** The files of a section of docs/design/architecture.md, in their order: its numbered lines begin with one each. */
function listed(section: string): readonly string[] {
  const page = readFileSync(join(repository, 'docs/design/architecture.md'), 'utf8');
  const [, body = ''] = page.split(`## ${section}\n`);
  const [own = ''] = body.split('\n## ');
  return [...own.matchAll(/^\d+\. `([^`]+)`/gm)].flatMap(([, file]) => file ?? []);
}

/** The engine's files on the way to the SDK and to the wire of each operation that is sent while `work` runs, from the stack of the call. */
async function sentThrough(work: () => Promise<void>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const seen = new Map<string, Set<string>>();
  const look = (operation: string): void => {
    const { stack = '' } = new Error('here');
    const found = [...stack.matchAll(/(?:file:\/\/)?\/[^\s():]+\/engine\/[^\s():?]+\.(?:ts|js)/g)].map(([url]) =>
      relative(repository, url.startsWith('file:') ? fileURLToPath(url) : url),
    );
    // A verify pass reads pages of its own; what a server offers is found out before; the wire asks the SDK for its likeness.
    const own = found.some((file) => /\/verify-|find-features|aws\/wire\//.test(file))
      ? []
      : found.filter((file) => !beforeTheCommand.has(file));
    seen.set(operation, new Set([...(seen.get(operation) ?? []), ...own]));
  };
  const { send } = DynamoDBClient.prototype;
  const { call } = DirectWire.prototype;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  DynamoDBClient.prototype.send = function spied(this: DynamoDBClient, ...args: Parameters<typeof send>) {
    look((args[0] as object).constructor.name.replace(/Command$/, ''));
    return Reflect.apply(send, this, args) as ReturnType<typeof send>;
  } as typeof send;
  DirectWire.prototype.call = function spied(this: DirectWire, ...args: Parameters<typeof call>) {
    look(args[0]);
    return Reflect.apply(call, this, args) as ReturnType<typeof call>;
  } as typeof call;
  try {
    await work();
  } finally {
    DynamoDBClient.prototype.send = send;
    DirectWire.prototype.call = call;
    Error.stackTraceLimit = limit;
  }
  return seen;
}

describe('the ways through the engine, as docs/design/architecture.md tells them', () => {
  const engine = useEngine([]);
  before(async () => {
    // The local stack has the names of dev.
    const config = parseStackConfig('dev', {}, tables);
    for (const table of tables) await ensureTable({ store: engine().environment.store, config, sleep }, table);
  });
  const run = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await runMain(repository, [...args, '--endpoint', engine().endpoint]);
    expect(code, stdout + stderr).to.equal(0);
  };

  const ways = [
    { section: 'The way of a seed row', most: 10, operations: ['BatchWriteItem'], args: ['seed', 'oms', 'legacy'] },
    {
      section: 'The way of a migrated page',
      most: 14,
      operations: ['Scan', 'BatchExecuteStatement'],
      args: ['migrate', '--to', '3'],
    },
    {
      section: 'The way of a read',
      most: 7,
      operations: ['Query'],
      args: ['query', 'oms.trading.ordersOfClient', 'clientId=client_123'],
    },
  ];
  for (const { section, most, operations, args } of ways) {
    it(`${section}: ${most} files at most, and its requests pass through no other`, async () => {
      const files = listed(section);
      expect(files.length, 'files in the list').to.be.within(1, most);
      const sent = await sentThrough(() => run(...args));
      for (const operation of operations) {
        const through = sent.get(operation);
        expect(through, `${operation} was sent`).not.to.equal(undefined);
        expect(
          [...(through ?? [])].filter((file) => !files.includes(file)),
          operation,
        ).to.deep.equal([]);
      }
    });
  }
});
