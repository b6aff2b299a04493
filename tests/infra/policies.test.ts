import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteItemCommand, PutItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { openReader, openWriter } from '../../engine/application.ts';
import { commands } from '../../engine/cli/commands/all.js';
import { policyAdvice } from '../../engine/cli/policy-advice.ts';
import { commandPolicies, optionPolicies } from '../../engine/cli/policy-needs.ts';
import { Reader } from '../../engine/run/read/reader.ts';
import type { RunOptions } from '../../engine/run/write/run-operation.ts';
import { Writer } from '../../engine/run/write/writer.ts';
import { policiesOf } from '../../infra/access/policies.ts';
import * as entities from '../../tables/entities.ts';
import type { Operation } from '../../tables/model/operation.ts';
import type { Pattern } from '../../tables/model/pattern.ts';
import { type PatternName, patternsOf } from '../../tables/model/project.ts';
import { type Purpose, purposes } from '../../tables/model/stack/config/access.ts';
import * as operations from '../../tables/operations.ts';
import project from '../../tablewright.config.ts';
import { ask } from '../support/enforcing-front/ask.ts';
import type { Holding } from '../support/enforcing-front/decide.ts';
import type { Decided } from '../support/enforcing-front/front.ts';
import { type GuardedStack, startGuardedStack } from '../support/enforcing-front/guarded-stack.ts';
import { objectAsk } from '../support/enforcing-front/s3-asks.ts';
import { failureOf } from '../support/failure-of.ts';
import { tables } from '../support/project.ts';
import { forgetStarted, putElsewhere } from './support/bulk-scene.ts';
import { type CallName, callPolicies } from './support/call-policies.ts';
import { operationScenarios } from './support/call-scenarios.ts';
import { type CommandName, commandScenarios, type Seen } from './support/command-scenarios.ts';
import { keyArn, place } from './support/fake-aws.ts';
import { onceDenied } from './support/once-denied.ts';
import { outsideScenarios } from './support/outside-scenarios.ts';
import { spareGrants } from './support/spare-grants.ts';
import { configOf } from './support/stack-file.ts';

const refused = (decided: readonly Decided[]) =>
  decided.filter(({ allowed }) => !allowed).map(({ action, resource }) => `${action} on ${resource}`);

/** The policies by name: the application's are made per system. */
function holdingOf(wanted: readonly Purpose[], system = ''): Holding {
  return wanted.map((purpose) => (purpose.startsWith('application-') ? `${purpose}-${system}` : purpose));
}

interface Refusal {
  readonly name: string;
  readonly message: string;
  readonly $metadata: { readonly httpStatusCode?: number };
}

/** The SDK's error for a request that must not go through. */
async function refusalOf(request: Promise<unknown>): Promise<Refusal> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason as Refusal,
  );
  return error ?? expect.fail('the request went through');
}

const systems = [...new Set(tables.map(({ system }) => system))].filter((system) => system !== 'tablewright');

describe('under the policies of a stack, as the stack registers them', function () {
  this.timeout(120_000);
  let stack: GuardedStack;
  before(async () => {
    stack = await startGuardedStack();
  });
  after(() => stack?.close());

  /** What was asked of IAM while this went on. */
  async function watched(work: () => Promise<unknown>): Promise<readonly Decided[]> {
    const from = stack.front.decided.length;
    await work();
    return stack.front.decided.slice(from);
  }

  it('every command reads a file as Pulumi leaves it: an account, a salt, a secret, booleans as text', async () => {
    const file = await readFile(join(stack.root, 'Pulumi.dev.yaml'), 'utf8');
    for (const line of [
      /^encryptionsalt: v1:/m,
      /^ {2}tablewright:production: "false"$/m,
      /^ {2}tablewright:protect: "true"$/m,
    ]) {
      expect(file).to.match(line);
    }
    expect(file)
      .to.contain(`tablewright:account: "${place.account}"`)
      .and.to.match(/endpoint:\s+secure: v1:/);
  });

  describe('commands run', () => {
    const seen: Seen = { native: '', portable: '', orders: '', backup: '' };

    for (const { command, system, under, words, before, after, code = 0 } of commandScenarios) {
      const holding = holdingOf(under ?? commandPolicies[command], system);
      it(`${[command, ...(words?.(seen) ?? [])].join(' ')} under ${holding.join(' and ')} alone`, async () => {
        await before?.(stack);
        const run = await stack.run(holding, ...command.split(' '), ...(words?.(seen, stack.behind.endpoint) ?? []));
        expect(refused(run.decided)).to.deep.equal([]);
        expect(run.code, run.printed).to.equal(code);
        expect(run.decided, 'it asked for nothing').not.to.have.lengthOf(0);
        after?.(run, seen);
      });
    }

    for (const words of [
      ['tables'],
      ['patterns'],
      ['audit', 'scans', 'migrations/9001-keep-and-bring-back.ts'],
      ['audit', 'usage', 'migrations/9001-keep-and-bring-back.ts'],
      ['migration', 'new', 'do-nothing', '--table', 'markets'],
      ['up'],
    ]) {
      it(`${words.join(' ')} without any policy, for it asks for nothing`, async () => {
        const run = await stack.run([], ...words);
        expect(run.decided).to.deep.equal([]);
        // `up` is for the local stack and says so.
        expect(run.code, run.printed).to.equal(words.join() === 'up' ? 2 : 0);
        // A skeleton is no migration yet; other commands would stumble over it.
        const made = /migrations\/\S+do-nothing\.ts/.exec(run.printed)?.[0];
        if (made !== undefined) await rm(join(stack.root, made));
      });
    }

    it('import --bulk --cancel finds what a lost run has started, past an operation of another stack that it may not look at', async () => {
      const other = await putElsewhere(stack);
      await forgetStarted(stack);
      const holding = holdingOf(optionPolicies.import.bulk);
      const run = await stack.run(holding, 'import', seen.orders, '--bulk', '--table', 'orders', '--cancel', '--poll-ms', '1');
      expect(run.code, run.printed).to.equal(0);
      expect(refused(run.decided)).to.deep.equal([`dynamodb:DescribeBulkOperation on ${other}`]);
      expect(run.decided.map(({ operation }) => operation)).to.include.members(['ListBulkOperations', 'CancelBulkOperation']);
    });

    it('the table of a native import has the stack’s key, although no key was named', async () => {
      const asked = stack.front.decided.filter(({ operation }) => operation === 'ImportTable');
      expect(asked.filter(({ action }) => action === 'kms:CreateGrant').map(({ resource }) => resource)).to.deep.equal([
        keyArn,
        keyArn,
      ]);
      expect(stack.native.imports.map(({ key }) => key)).to.deep.equal(['alias/tablewright-dev', 'alias/tablewright-dev']);
      expect(stack.access.key.alias).to.equal('alias/tablewright-dev');
    });
  });

  describe('calls of applications run', () => {
    const moves = { scan: ['revert'], shadow: ['shadow', '--share', '100'], query: ['apply'] } as const;

    for (const [state, [move, ...options]] of Object.entries(moves)) {
      it(`the reader, every pattern and every method, under application-read of its system alone, in state ${state}`, async () => {
        const moved = await stack.run(['migration-runner'], 'cutover', move, '--all', ...options);
        expect(moved.code, moved.printed).to.equal(0);
        for (const system of systems) {
          const patterns = patternsOf(tables.filter((table) => table.system === system));
          expect(patterns, system).not.to.have.lengthOf(0);
          const decided = await watched(() => readAll(holdingOf(callPolicies['reader.read'], system), patterns, state));
          expect(refused(decided), system).to.deep.equal([]);
          const was = (action: string) => decided.some((asked) => asked.action === action && asked.allowed);
          const moving = patterns.some(({ legacy }) => legacy !== undefined);
          expect(was('dynamodb:Scan'), `${system} scans`).to.equal(moving && state !== 'query');
          expect(was('dynamodb:UpdateItem'), `${system} records`).to.equal(moving && state === 'shadow');
        }
      });
    }

    it('a reader that always queries, without a question to the ledger', async () => {
      for (const system of systems) {
        const [pattern] = patternsOf(tables.filter((table) => table.system === system));
        const decided = await watched(async () => {
          const client = stack.client(holdingOf(['application-read'], system));
          const reader = openReader(project, { stack: 'dev', region: place.region, client, follow: 'query' });
          await reader.count(pattern?.name as PatternName<typeof project>, pattern?.example as never);
          client.destroy();
        });
        expect(refused(decided), system).to.deep.equal([]);
        expect(
          decided.filter(({ resource }) => resource.includes('ledger')),
          system,
        ).to.deep.equal([]);
      }
    });

    async function readAll(holding: Holding, patterns: readonly Pattern[], state: string): Promise<void> {
      const client = stack.client(holding);
      const errors: unknown[] = [];
      const onShadowError = (_: string, error: unknown) => void errors.push(error);
      const reader = openReader(project, { stack: 'dev', region: place.region, client, onShadowError });
      for (const { name, example, legacy } of patterns) {
        const call = [name as PatternName<typeof project>, example as never] as const;
        const reading = reader.read(...call);
        await reading.all();
        if (legacy !== undefined) expect(reading.consumed.way, name).to.equal(state === 'query' ? 'query' : 'scan');
        await reader.page(...call);
        await reader.first(...call);
        await reader.exists(...call);
        await reader.count(...call);
        // One after another: at most four shadow reads run at once, and none is to be left out.
        await reader.close();
      }
      client.destroy();
      expect(errors).to.deep.equal([]);
    }

    it('a shadow read that finds a difference, and records it', async () => {
      const moved = await stack.run(['migration-runner'], 'cutover', 'shadow', 'markets.orders.bestBids', '--share', '100');
      expect(moved.code, moved.printed).to.equal(0);
      const TableName = 'orders-dev';
      const order = { marketId: 'mkt123', side: 'Buy', status: 'Open', owner: 'me', createdAt: '2025-10-14T10:00:00.000Z' };
      // Without the keys of its index: the Scan finds it, the Query does not.
      const unindexed = { id: 'unindexed', ...order };
      const Item = {
        ...Object.fromEntries(Object.entries(unindexed).map(([name, value]) => [name, { S: value }])),
        ...Object.fromEntries(['price', 'size', 'remaining'].map((name) => [name, { N: '1' }])),
      };
      await stack.behind.client.send(new PutItemCommand({ TableName, Item }));
      const decided = await watched(async () => {
        const client = stack.client(['application-read-markets']);
        const reader = openReader(project, { stack: 'dev', region: place.region, client });
        await reader.read('markets.orders.bestBids', { marketId: 'mkt123' }).all();
        await reader.close();
        client.destroy();
      });
      await stack.behind.client.send(new DeleteItemCommand({ TableName, Key: { id: { S: 'unindexed' } } }));
      expect(refused(decided)).to.deep.equal([]);
      expect(decided.map(({ action }) => action)).to.include.members(['dynamodb:UpdateItem', 'dynamodb:PutItem']);
    });

    for (const [name, { operation, system, params }] of Object.entries(operationScenarios)) {
      const holding = holdingOf(callPolicies[name as CallName], system);
      it(`${name} under ${holding.join(' and ')} alone`, async () => {
        const run = (policies: Holding) => runAs(policies, operation, params);
        if (holding.length > 1) {
          for (const one of holding) {
            const error = await failureOf(run([one]));
            expect(error.message, one).to.match(/AccessDeniedException: User: .* is not authorized to perform: dynamodb:/);
          }
        }
        const decided = await watched(async () => {
          expect(await run(holding)).to.deep.include({ outcome: 'applied' });
        });
        expect(refused(decided)).to.deep.equal([]);
        expect(decided).not.to.have.lengthOf(0);
        const reads = decided.some(({ action }) => /^dynamodb:(GetItem|BatchGetItem|Query|Scan)$/.test(action));
        expect(reads, 'reads before it writes').to.equal(holding.some((policy) => policy.startsWith('application-read')));
      });
    }

    async function runAs(holding: Holding, operation: Operation, params: object, options?: RunOptions) {
      const client = stack.client(holding);
      const reader = openReader(project, { stack: 'dev', region: place.region, client });
      try {
        return await reader.run(operation, params as never, options);
      } finally {
        client.destroy();
      }
    }

    it('an operation that checks within its transaction what it refers to, under the same two', async () => {
      const { operation, system, params } = operationScenarios['oms.createOrder'];
      const holding = holdingOf(callPolicies['oms.createOrder'], system);
      const other = { ...params, order_id: 'order_checked_under_policy' };
      const decided = await watched(async () => {
        expect(await runAs(holding, operation, other, { references: 'transaction' })).to.deep.include({ outcome: 'applied' });
      });
      expect(refused(decided)).to.deep.equal([]);
      const checked = decided.filter(({ action }) => action === 'dynamodb:ConditionCheckItem').map(({ resource }) => resource);
      expect(checked).to.include(`arn:aws:dynamodb:${place.region}:${place.account}:table/oms_config_dev`);
    });

    it('writer.put, writer.update, writer.remove and writer.together under application-read-oms and application-write-oms alone', async () => {
      const record = { product_id: 'under_policy', name: 'P', status: 'ACTIVE' };
      const fill = { execution_id: 'under_policy', order_id: 'order_456', client_id: 'client_123', product_id: 'prod_001' };
      const sums = { symbol: 'BTCUSDT', side: 'BUY', quantity: '1', price: '1', commission: '0' } as const;
      const executed = { ...fill, ...sums, executed_at: '14/11/2025 12:00:00' };
      const work = async (holding: Holding): Promise<void> => {
        const client = stack.client(holding);
        const writer = openWriter(project, { stack: 'dev', region: place.region, client });
        try {
          const outcomes = [
            await writer.put(entities.execution, executed),
            await writer.remove(entities.execution, executed),
            await writer.put(entities.execution, executed, { references: 'transaction' }),
            await writer.remove(entities.execution, executed),
            await writer.put(entities.product, record),
            await writer.update(entities.product, record, { name: 'Q' }),
            await writer.update(entities.product, record, () => ({ name: 'P' })),
            await writer.together((all) => {
              all.put(entities.setting, { name: 'under_policy', value: '' });
              all.update(entities.product, record, { status: 'SUSPENDED' });
            }),
            await writer.remove(entities.product, { ...record, status: 'SUSPENDED' }),
            await writer.remove(entities.setting, { name: 'under_policy', value: '' }),
          ];
          expect(outcomes).to.deep.equal(outcomes.map(() => ({ outcome: 'applied', written: true })));
          expect(await writer.remove(entities.product, record)).to.have.property('reason', 'not-found');
        } finally {
          client.destroy();
        }
      };
      const holding = holdingOf(callPolicies['writer.put'], 'oms');
      for (const one of holding) expect((await failureOf(work([one]))).message, one).to.contain('AccessDeniedException');
      const decided = await watched(() => work(holding));
      expect(refused(decided)).to.deep.equal([]);
      const asked = new Set(decided.map(({ action }) => action.replace('dynamodb:', '')));
      expect([...asked]).to.include.members(['ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'UpdateItem']);
    });

    it('raising warm throughput under warmer alone', async () => {
      const client = stack.client(['warmer']);
      const WarmThroughput = { ReadUnitsPerSecond: 15_000, WriteUnitsPerSecond: 5_000 };
      // What the embedded engine makes of it is its own affair; IAM lets it through.
      const decided = await watched(() =>
        client.send(new UpdateTableCommand({ TableName: 'orders-dev', WarmThroughput })).catch(() => undefined),
      );
      expect(decided.map(({ action, allowed }) => [action, allowed])).to.deep.equal([['dynamodb:UpdateTable', true]]);
      client.destroy();
    });
  });

  describe('each policy', () => {
    for (const [holder, asks] of Object.entries(onceDenied)) {
      for (const asked of asks) {
        const partition = [asked.context['dynamodb:LeadingKeys'] ?? []].flat().join();
        it(`${holder} allows ${asked.action} on ${asked.resource} ${partition}`.trimEnd(), async () => {
          expect(await stack.front.allows([holder], asked)).to.equal(true);
        });
      }
    }

    /** Where a caller holds two policies, a use of the one that alone allows it. */
    async function isUseOf(names: readonly string[], { holding, allowed, ...asked }: Decided): Promise<boolean> {
      if (!allowed || !holding.some((name) => names.includes(name))) return false;
      const others = holding.filter((name) => !names.includes(name));
      return others.length === 0 || !(await stack.front.allows(others, asked));
    }

    it('grants nothing that no command and no call asks for, but for what is listed with its reason', async () => {
      const holders = [...stack.access.policies];
      for (const purpose of purposes) {
        const own = holders.filter(([name]) => name === purpose || name.startsWith(`${purpose}-`));
        const granted = new Set(own.flatMap(([, { Statement }]) => Statement.flatMap(({ Action }) => Action)));
        const names = own.map(([name]) => name);
        for (const asked of stack.front.decided) {
          if (granted.has(asked.action) && (await isUseOf(names, asked))) granted.delete(asked.action);
        }
        expect([...granted], purpose).to.have.members(spareGrants[purpose] as string[]);
      }
    });
  });

  describe('is refused', () => {
    for (const {
      holding,
      what,
      send,
      refused: [action, resource],
    } of outsideScenarios) {
      it(`${what}, to ${holding.join()}`, async () => {
        const client = stack.client(holding);
        const error = await refusalOf(send(client));
        client.destroy();
        expect(error.name).to.equal('AccessDeniedException');
        expect(error.message).to.contain(`is not authorized to perform: ${action} on resource: ${resource} because`);
      });
    }

    const wrong = [
      { holding: ['importer'], words: ['export', 'orders'], right: 'tablewright-dev-exporter' },
      {
        holding: ['exporter'],
        words: ['restore', 'orders', '--to-time', 'latest', '--as', 'elsewhere'],
        right: 'tablewright-dev-restorer',
      },
      { holding: ['exporter'], words: ['seed'], right: 'tablewright-dev-seeder' },
      { holding: ['inspector'], words: ['status'], right: 'tablewright-dev-migration-runner' },
      { holding: ['warmer'], words: ['doctor'], right: 'tablewright-dev-inspector' },
      {
        holding: ['application-write-oms'],
        words: ['query', 'oms.config.productById', 'productId=1'],
        right: 'tablewright-dev-application-read-<system>',
      },
    ];
    for (const { holding, words, right } of wrong) {
      it(`${words.join(' ')} to ${holding.join()}, and the command says that it takes ${right}`, async () => {
        const run = await stack.run(holding, ...words);
        expect(run.code, run.printed).not.to.equal(0);
        expect(refused(run.decided)).not.to.have.lengthOf(0);
        expect(run.printed).to.contain('is not authorized to perform: dynamodb:');
        expect(run.printed).to.contain(`'${words[0]}' runs under the policy ${right} of the stack`);
      });
    }

    it('something to every policy that the stack registers', () => {
      const holders = new Set(outsideScenarios.flatMap(({ holding }) => holding));
      expect([...holders]).to.have.members([...stack.access.policies.keys()]);
      expect(new Set(outsideScenarios.map(({ purpose }) => purpose))).to.deep.equal(new Set(purposes));
    });

    it('the key to everybody who comes without a service', async () => {
      for (const holder of stack.access.policies.keys()) {
        const direct = ask('kms:Decrypt', keyArn, { 'kms:CallerAccount': place.account });
        expect(await stack.front.allows([holder], direct), holder).to.equal(false);
      }
    });

    it('a grant of the key that is not for a table, to importer and restorer too', async () => {
      const through = { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.com`, 'kms:CallerAccount': place.account };
      for (const holder of stack.access.policies.keys()) {
        const forTable = ask('kms:CreateGrant', keyArn, { ...through, 'kms:GrantIsForAWSResource': 'true' });
        expect(await stack.front.allows([holder], forTable), holder).to.equal(['importer', 'restorer'].includes(holder));
        expect(await stack.front.allows([holder], ask('kms:CreateGrant', keyArn, through)), holder).to.equal(false);
      }
    });

    it('the bucket without TLS, by its own policy, and any other bucket', async () => {
      const inTheClear = objectAsk('PutObject', stack.bucket, 'exports/x', {
        'aws:SecureTransport': 'false',
        's3:TlsVersion': '1.3',
      });
      const oldTls = objectAsk('PutObject', stack.bucket, 'exports/x', { 'aws:SecureTransport': 'true', 's3:TlsVersion': '1.1' });
      for (const holder of ['exporter', 'migration-runner']) {
        expect(await stack.front.allows([holder], objectAsk('PutObject', stack.bucket, 'exports/x')), holder).to.equal(true);
        for (const bad of [inTheClear, oldTls, objectAsk('GetObject', 'another-bucket', 'x')]) {
          expect(await stack.front.allows([holder], bad), `${holder} ${bad.resource}`).to.equal(false);
        }
      }
    });

    it('alarms of others to the migration runner, other metrics than doctor’s own to the inspector, and both to everybody else', async () => {
      const alarm = (name: string) =>
        ask('cloudwatch:DescribeAlarms', `arn:aws:cloudwatch:${place.region}:${place.account}:alarm:${name}`);
      const metric = (namespace: string) => ask('cloudwatch:PutMetricData', '*', { 'cloudwatch:namespace': namespace });
      for (const holder of stack.access.policies.keys()) {
        const own = [alarm('tablewright-dev-orders-read-throttles'), metric('tablewright')];
        const answers = await Promise.all(own.map((one) => stack.front.allows([holder], one)));
        expect(answers, holder).to.deep.equal([holder === 'migration-runner', holder === 'inspector']);
        for (const other of [alarm('tablewright-prod-orders-read-throttles'), alarm('others'), metric('AWS/DynamoDB')]) {
          expect(await stack.front.allows([holder], other), `${holder} ${other.resource}`).to.equal(false);
        }
      }
    });

    it('a key that is not the stack’s, to an export that names one', async () => {
      const other = `arn:aws:kms:${place.region}:${place.account}:key/99999999-2222-4333-8444-555555555555`;
      const run = await stack.run(['exporter'], 'export', 'orders', '--kms-key', other);
      expect(run.code).not.to.equal(0);
      expect(refused(run.decided)).to.deep.equal([`kms:GenerateDataKey on ${other}`]);
    });

    it('a change of an export, to the importer', async () => {
      for (const action of ['PutObject', 'DeleteObject']) {
        expect(await stack.front.allows(['importer'], objectAsk(action, stack.bucket, 'exports/x'))).to.equal(false);
      }
    });

    it('the bucket to those who have no business there, as S3 refuses it', async () => {
      for (const holder of ['seeder', 'restorer', 'inspector', 'application-read-oms']) {
        const s3 = new S3Client({
          region: place.region,
          endpoint: stack.front.endpoint,
          forcePathStyle: true,
          credentials: stack.front.credentials([holder]),
        });
        const key = { Bucket: stack.bucket, Key: 'exports/x' };
        for (const command of [new GetObjectCommand(key), new PutObjectCommand({ ...key, Body: 'x' })]) {
          const error = await refusalOf(s3.send(command as GetObjectCommand));
          expect([error.name, error.$metadata.httpStatusCode], holder).to.deep.equal(['AccessDenied', 403]);
        }
        s3.destroy();
      }
    });
  });
});

describe('the list of what each command and call needs', () => {
  it('has every command of the command line, and each one that needs a policy is run', () => {
    expect(Object.keys(commandPolicies)).to.have.members(commands.map(({ words }) => words));
    // Those without any are run above, too.
    const needing = (Object.keys(commandPolicies) as CommandName[]).filter((name) => commandPolicies[name].length > 0);
    expect([...new Set(commandScenarios.map(({ command }) => command))]).to.have.members(needing);
  });

  it('names no policy that the stack does not make, in what a refused command says', () => {
    const made = policiesOf(tables, configOf('dev'), place).map(({ name }) => name);
    const denied = Object.assign(new Error('denied'), { name: 'AccessDeniedException' });
    for (const [words, needed] of Object.entries(commandPolicies)) {
      const advice = policyAdvice(denied, { words, given: {}, project: 'tablewright', stack: 'dev' });
      const said = advice?.match(/tablewright-dev-[a-z-]+(<system>)?/g) ?? [];
      expect(said, words).to.have.lengthOf(needed.length);
      const names = said.flatMap((name) => systems.map((system) => name.replace('<system>', system)));
      expect(
        names.filter((name) => !made.includes(name)),
        words,
      ).to.deep.equal([]);
    }
  });

  it('has every method of the reader and the writer; run is there by each operation', () => {
    const methods = Object.getOwnPropertyNames(Reader.prototype).filter((name) => name !== 'constructor' && name !== 'run');
    const listed = Object.keys(callPolicies).flatMap((name) => /^reader\.(\w+)$/.exec(name)?.[1] ?? []);
    expect(listed).to.have.members(methods);
    const writing = Object.getOwnPropertyNames(Writer.prototype).filter((name) => name !== 'constructor' && name !== 'run');
    const named = Object.keys(callPolicies).flatMap((name) => /^writer\.(\w+)$/.exec(name)?.[1] ?? []);
    expect(named).to.have.members(writing);
  });

  it('has every operation of the catalogue', () => {
    const all = Object.values(operations).map(({ name }) => name);
    expect(Object.keys(operationScenarios)).to.have.members(all);
    expect(Object.keys(callPolicies).filter((name) => !/^(reader|writer)\./.test(name))).to.have.members(all);
  });
});
