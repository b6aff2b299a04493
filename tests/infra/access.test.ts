import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { keyPolicy, keyUse } from '../../infra/access/key-policy.ts';
import { policiesOf } from '../../infra/access/policies.ts';
import { rolesOf } from '../../infra/access/roles.ts';
import { ledgerPartition } from '../../tables/model/ledger/ledger-keys.ts';
import { tables } from '../support/project.ts';
import { keyArn, place } from './support/fake-aws.ts';
import { configOf } from './support/stack-file.ts';

interface Statement {
  readonly Sid: string;
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

function statements(stack: string, id: string, more: object = {}): Readonly<Record<string, Statement>> {
  const config = { ...configOf(stack), ...more };
  const policy = policiesOf(tables, config, place).find((candidate) => candidate.id === id);
  if (policy === undefined) throw new Error(`${stack} has no policy ${id}`);
  const { Statement: found } = JSON.parse(policy.document(keyArn)) as { readonly Statement: readonly Statement[] };
  return Object.fromEntries(found.map((statement) => [statement.Sid, statement]));
}

const arn = (table: string) => `arn:aws:dynamodb:us-east-1:111122223333:table/${table}`;

/** The calls that the engine makes, by name: commands of the SDK, and those of the direct path. */
function sdkCalls(): readonly string[] {
  const folder = new URL('../../engine/aws/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const calls = sources.flatMap((text) =>
    [...text.matchAll(/new (\w+)Command\(|\.(?:call|text)\(\s*'(\w+)'/g)].flatMap(([, sdk, direct]) => sdk ?? direct ?? []),
  );
  return [...new Set(calls)];
}

describe('the policies of a stack', () => {
  it('are one pair per system for applications, and one for each other job', () => {
    const ids = (stack: string) => policiesOf(tables, configOf(stack), place).map(({ id }) => id);
    const pairs = ['oms', 'markets', 'backtest', 'order-management'].flatMap((system) => [
      `application-read-${system}`,
      `application-write-${system}`,
    ]);
    const others = ['migration-runner', 'exporter', 'importer', 'bulk-importer', 'restorer', 'inspector', 'warmer'];
    expect(ids('dev')).to.have.members([...pairs, ...others, 'seeder']);
    expect(ids('prod')).to.have.members([...pairs, ...others]);
  });

  it('let an application read by key and only its own system; scan only what may not be cut over yet', () => {
    expect(statements('prod', 'application-read-oms')).to.deep.equal({
      Tables: {
        Sid: 'Tables',
        Effect: 'Allow',
        Action: ['GetItem', 'BatchGetItem', 'Query', 'DescribeTable', 'DescribeTimeToLive'].map((name) => `dynamodb:${name}`),
        Resource: [arn('oms_config_prod'), arn('oms_trading_data_prod')],
      },
      Indexes: {
        Sid: 'Indexes',
        Effect: 'Allow',
        Action: ['dynamodb:Query'],
        Resource: [
          `${arn('oms_config_prod')}/index/GSI1`,
          `${arn('oms_trading_data_prod')}/index/GSI1`,
          `${arn('oms_trading_data_prod')}/index/GSI2`,
          `${arn('oms_trading_data_prod')}/index/GSI3`,
        ],
      },
      // The trading data was always read by key.
      BeforeCutover: {
        Sid: 'BeforeCutover',
        Effect: 'Allow',
        Action: ['dynamodb:Scan'],
        Resource: [arn('oms_config_prod')],
      },
      ShadowReads: {
        Sid: 'ShadowReads',
        Effect: 'Allow',
        Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: [arn('tablewright-ledger')],
        Condition: {
          'ForAllValues:StringEquals': {
            'dynamodb:LeadingKeys': ['allProducts', 'allClients', 'allSettings'].map((name) => `CUTOVER#oms.config.${name}`),
          },
        },
      },
      CutoverStates: {
        Sid: 'CutoverStates',
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:Query'],
        Resource: [arn('tablewright-ledger')],
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['CUTOVER#*', 'MIGRATIONS'] } },
      },
      Key: {
        Sid: 'Key',
        Effect: 'Allow',
        Action: [...keyUse],
        Resource: keyArn,
        Condition: { StringEquals: { 'kms:ViaService': ['dynamodb.us-east-1.amazonaws.com'] } },
      },
    });
  });

  it('let an application write items and nothing else', () => {
    expect(statements('prod', 'application-write-markets').Tables?.Action).to.deep.equal([
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
      'dynamodb:BatchWriteItem',
      'dynamodb:ConditionCheckItem',
      'dynamodb:DescribeTable',
    ]);
  });

  it('let the migration runner work on every table and the ledger, by PartiQL too, and change no table', () => {
    const { Tables } = statements('prod', 'migration-runner');
    expect(Tables?.Resource).to.have.lengthOf(tables.length).and.to.include(arn('tablewright-ledger'));
    expect(Tables?.Action).to.include.members(['dynamodb:Scan', 'dynamodb:PartiQLUpdate', 'dynamodb:ConditionCheckItem']);
    expect(Tables?.Action.filter((action) => /(Create|Update|Delete)Table$/.test(action))).to.deep.equal([]);
  });

  it('let the migration runner see the alarms that it is to hold still for, and no others', () => {
    const alarm = (name: string) => `arn:aws:cloudwatch:us-east-1:111122223333:alarm:${name}`;
    expect(statements('dev', 'migration-runner').Alarms?.Resource).to.deep.equal([alarm('tablewright-dev-*')]);
    const named = configOf('dev', { 'tablewright:pauseOnAlarms': ['checkout-errors', 'tablewright-dev-orders-read-throttles'] });
    const policy = policiesOf(tables, named, place).find(({ id }) => id === 'migration-runner');
    expect(policy?.document(keyArn)).to.contain(JSON.stringify([alarm('tablewright-dev-*'), alarm('checkout-errors')]));
  });

  it('let an importer reach the one bucket and the tables that a native import makes', () => {
    const { Objects, Imported, Imports, Key } = statements('prod', 'importer');
    expect(Objects?.Resource).to.deep.equal(['arn:aws:s3:::tablewright-prod-exports-111122223333-us-east-1/*']);
    expect(Imported?.Resource).to.have.lengthOf(tables.length).and.to.include(arn('orders-imported'));
    expect(Imports?.Resource)
      .to.have.lengthOf(tables.length)
      .and.to.include(`${arn('orders-imported')}/import/*`);
    expect(Key?.Condition).to.deep.equal({
      StringEquals: { 'kms:ViaService': ['dynamodb.us-east-1.amazonaws.com', 's3.us-east-1.amazonaws.com'] },
    });
  });

  it('let a bulk importer change the one folder of the bucket and no item', () => {
    const { Folder, BulkPuts, ...others } = statements('prod', 'bulk-importer');
    expect(Folder?.Resource).to.deep.equal(['arn:aws:s3:::tablewright-prod-exports-111122223333-us-east-1/bulk/*']);
    expect(BulkPuts?.Resource)
      .to.have.lengthOf(tables.length - 1)
      .and.to.include(`${arn('orders')}/*`);
    expect(Object.values(others).flatMap(({ Action }) => [Action].flat())).to.have.members([
      'dynamodb:StartBulkPutItems',
      'dynamodb:ListBulkOperations',
    ]);
  });

  it('let an exporter write to no table, but where a masked export goes on to the ledger', () => {
    const { MaskedExports, ...others } = statements('prod', 'exporter');
    expect(MaskedExports).to.deep.include({
      Action: ['dynamodb:PutItem', 'dynamodb:DeleteItem'],
      Resource: [arn('tablewright-ledger')],
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [ledgerPartition('exportSegment', { table: '*' })] },
      },
    });
    const actions = Object.values(others).flatMap(({ Action }) => [Action].flat());
    expect(actions.filter((action) => /dynamodb:(Put|Update|Delete|BatchWrite|PartiQL)/.test(action))).to.deep.equal([]);
    expect(actions).to.include.members(['dynamodb:ExportTableToPointInTime', 'dynamodb:Scan', 's3:PutObject']);
  });

  it('cover every call that the engine makes, but for setting up a local engine', () => {
    const localOnly = ['CreateTable', 'DeleteTable', 'CreateBucket'];
    const needs: Readonly<Record<string, readonly string[]>> = {
      TransactWriteItems: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
      BatchExecuteStatement: ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:PartiQLDelete'],
      ExecuteStatement: ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:PartiQLDelete'],
      DescribeAlarms: ['cloudwatch:DescribeAlarms'],
      GetMetricStatistics: ['cloudwatch:GetMetricStatistics'],
      ListEventSourceMappings: ['lambda:ListEventSourceMappings'],
      GetObject: ['s3:GetObject'],
      PutObject: ['s3:PutObject'],
      DeleteObjects: ['s3:DeleteObject'],
      ListObjectsV2: ['s3:ListBucket'],
      HeadBucket: ['s3:ListBucket'],
      GetLogEvents: ['logs:GetLogEvents'],
      PutMetricData: ['cloudwatch:PutMetricData'],
      // The template of a stack of others: a caller who may not read it says by --retained what it says.
      GetTemplate: [],
      DescribeStateMachine: ['states:DescribeStateMachine'],
      DescribeExecution: ['states:DescribeExecution'],
      ListExecutions: ['states:ListExecutions'],
      StartExecution: ['states:StartExecution'],
      // STS tells every caller who it is; no policy can allow or forbid it.
      GetCallerIdentity: [],
    };
    const runner = { ...configOf('dev').runner, enabled: true };
    const called = sdkCalls().filter((call) => !localOnly.includes(call));
    expect(called).to.include.members(['Query', 'BatchGetItem', 'BatchWriteItem', 'TransactWriteItems', 'PutObject']);
    const granted = ['migration-runner', 'seeder', 'exporter', 'importer', 'bulk-importer', 'restorer', 'inspector'].flatMap(
      (id) => Object.values(statements('dev', id, { runner })).flatMap(({ Action }) => [Action].flat()),
    );
    const missing = called.flatMap((call) => needs[call] ?? [`dynamodb:${call}`]).filter((action) => !granted.includes(action));
    expect(missing).to.deep.equal([]);
  });

  it('leave UpdateTable to the warmer, and to importer and restorer on tables that they made themselves', () => {
    const holders = policiesOf(tables, configOf('dev'), place).flatMap(({ id }) =>
      Object.values(statements('dev', id))
        .filter(({ Action }) => [Action].flat().some((action) => /(Create|Update|Delete)Table$/.test(action)))
        .map(({ Resource }) => [
          id,
          [...new Set([Resource].flat().map((name) => /-(imported|restored)$/.exec(name)?.[0] ?? ''))],
        ]),
    );
    expect(holders).to.deep.equal([
      ['importer', ['-imported']],
      ['restorer', ['-restored']],
      ['warmer', ['']],
    ]);
  });
});

describe('the key of a stack', () => {
  const policy = keyPolicy(place, configOf('prod'), {
    roleArns: ['arn:aws:iam::111122223333:role/tablewright-prod-api'],
    backupRoleArn: 'arn:aws:iam::111122223333:role/tablewright-prod-backups',
  });
  const uses = ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:CreateGrant'];

  it('is used only through services, by this account', () => {
    const using = policy.filter(
      ({ Action, Sid = '' }) =>
        !['AlarmsPublish', 'BackupsKeepGrants'].includes(Sid) && [Action].flat().some((action) => uses.includes(action)),
    );
    expect(using.map(({ Sid }) => Sid)).to.deep.equal(['UseThroughServices', 'StackRoles']);
    for (const { Condition } of using) {
      expect(Condition).to.deep.equal({
        StringEquals: {
          'kms:CallerAccount': '111122223333',
          'kms:ViaService': ['dynamodb', 's3', 'backup'].map((service) => `${service}.us-east-1.amazonaws.com`),
        },
      });
    }
  });

  it('lets whoever makes the vault retire its grant, and the role of AWS Backup ask for grants that are a service’s', () => {
    const through = policy.find(({ Sid }) => Sid === 'UseThroughServices');
    // What CreateBackupVault needs of a customer's key (AWS Backup Developer Guide, "Access control").
    expect(through?.Action).to.include.members([
      'kms:CreateGrant',
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:GenerateDataKey',
      'kms:RetireGrant',
    ]);
    expect(policy.find(({ Sid }) => Sid === 'BackupsKeepGrants')).to.deep.include({
      Action: ['kms:CreateGrant'],
      Condition: {
        Bool: { 'kms:GrantIsForAWSResource': 'true' },
        ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam::111122223333:role/tablewright-prod-backups' },
      },
    });
  });

  it('lets the alarms of this stack publish, and no other', () => {
    expect(policy.find(({ Sid }) => Sid === 'AlarmsPublish')).to.deep.include({
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Condition: {
        StringEquals: { 'aws:SourceAccount': '111122223333' },
        ArnLike: { 'aws:SourceArn': 'arn:aws:cloudwatch:us-east-1:111122223333:alarm:tablewright-prod-*' },
      },
    });
  });

  it('can always be managed by the account, or nobody could change its policy again', () => {
    const [administration] = policy;
    expect(administration).to.deep.include({ Sid: 'Administration', Principal: { AWS: 'arn:aws:iam::111122223333:root' } });
    expect(administration?.Action).to.include.members(['kms:PutKeyPolicy', 'kms:ScheduleKeyDeletion']);
    expect([administration?.Action].flat().filter((action) => uses.includes(String(action)))).to.deep.equal([]);
  });

  it('names the roles of the stack only when there are some, and backups only when they are on', () => {
    const plain = keyPolicy(place, configOf('dev'), { roleArns: [] });
    expect(plain.map(({ Sid }) => Sid))
      .not.to.include('StackRoles')
      .and.not.to.include('BackupsKeepGrants');
    expect(JSON.stringify(plain)).not.to.match(/backup\.|RetireGrant/);
  });
});

describe('the roles of a stack', () => {
  it('hold the policies that they ask for, of the systems that they name', () => {
    const config = configOf('dev', {
      'tablewright:roles': {
        desk: {
          policies: ['application-read', 'migration-runner'],
          systems: ['markets'],
          principals: ['arn:aws:iam::111122223333:role/ci'],
          services: ['ecs-tasks.amazonaws.com'],
        },
      },
    });
    const [role] = rolesOf(config, place, policiesOf(tables, config, place));
    expect(role).to.deep.include({
      name: 'tablewright-dev-desk',
      arn: 'arn:aws:iam::111122223333:role/tablewright-dev-desk',
      policies: ['application-read-markets', 'migration-runner'],
    });
    expect(JSON.parse(role?.assumeRolePolicy ?? '').Statement[0].Principal).to.deep.equal({
      AWS: ['arn:aws:iam::111122223333:role/ci'],
      Service: ['ecs-tasks.amazonaws.com'],
    });
  });
});
