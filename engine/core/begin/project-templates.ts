/** The files that a new project begins with. Pure: what is there already, and what to do about it, is the caller's. */

export interface ProjectFacts {
  /** What the project, its example system and its Pulumi project are called. */
  readonly name: string;
  readonly region: string;
  /** The folder of its migrations. */
  readonly migrations: string;
}

/** What the compiler is told. */
export const compilerSettings = 'tsconfig.json';

export interface TemplateFile {
  readonly path: string;
  readonly text: string;
}

/** Every file but package.json, .gitignore and the example: those which are added to where they are there. */
export function projectFiles({ name, region, migrations }: ProjectFacts): readonly TemplateFile[] {
  return [
    { path: 'infra/index.ts', text: programFile },
    { path: 'Pulumi.yaml', text: pulumiFile(name) },
    { path: 'Pulumi.dev.yaml', text: stackFile(region) },
    { path: compilerSettings, text: compilerFile(migrations) },
  ];
}

/** A table with its seed, its test and the project file that has it: one is nothing without the others. */
export interface Example {
  readonly test: string;
  /** The project file last: while it is not there, nothing was begun. */
  readonly files: readonly TemplateFile[];
}

/** The example at the nth of its places: in a package that is there the usual one may be somebody's. */
export function exampleAt(place: number, { name, migrations }: Omit<ProjectFacts, 'region'>): Example {
  const table = place === 0 ? 'orders' : `example-orders${place === 1 ? '' : `-${place}`}`;
  const seeds = place === 0 ? 'example' : table;
  const test = `tests/${table}.test.ts`;
  return {
    test,
    files: [
      { path: `tables/${table}.ts`, text: tableFile(name) },
      { path: `seeds/${seeds}/seed.ts`, text: seedFile(name, table) },
      { path: test, text: testFile(table) },
      { path: 'tablewright.config.ts', text: configFile(name, table, migrations) },
    ],
  };
}

const configFile = (name: string, table: string, migrations: string): string => `import { defineProject } from 'tablewright';
import { orders } from './tables/${table}.ts';

export default defineProject({
  name: '${name}',
  tables: { orders },
  migrations: '${migrations}',
  seeds: 'seeds',
});
`;

const tableFile = (
  name: string,
): string => `import { decimal, defineEntity, defineTable, is, isoTime, known, text } from 'tablewright';

export const order = defineEntity({
  name: 'ORDER',
  description: 'An order of a customer',
  attributes: {
    orderId: text(),
    customerId: text(),
    status: known('OPEN', 'FILLED', 'CANCELLED'),
    amount: decimal(),
    createdAt: isoTime(),
  },
  derive: [{ set: { PK: 'ORDER#{orderId}' } }, { set: { GSI1_PK: 'CUSTOMER#{customerId}', GSI1_SK: '{createdAt}' } }],
});

export const orders = defineTable({
  name: 'orders',
  system: '${name}',
  namespace: 'orders',
  description: 'Orders of customers',
  hash: 'PK',
  indexes: { ByCustomer: { hash: 'GSI1_PK', range: 'GSI1_SK' } },
  entities: [order],
  patterns: {
    byId: {
      description: 'An order by its id',
      params: { orderId: text() },
      key: [is('PK', 'ORDER#{orderId}')],
      result: [order],
      example: { orderId: 'o-1' },
    },
    ofCustomer: {
      description: 'The orders of a customer, latest first',
      params: { customerId: text() },
      index: 'ByCustomer',
      key: [is('GSI1_PK', 'CUSTOMER#{customerId}')],
      order: 'descending',
      result: [order],
      example: { customerId: 'c-1' },
    },
  },
});
`;

const seedFile = (name: string, table: string): string => `import { defineSeed, records } from 'tablewright';
import { order, orders } from '../../tables/${table}.ts';

export default defineSeed({
  description: 'Two orders to look at',
  system: '${name}',
  stacks: ['local', 'dev'],
  fixtures: [
    records(orders, order, [
      { orderId: 'o-1', customerId: 'c-1', status: 'FILLED', amount: '19.90', createdAt: '2026-01-05T09:00:00Z' },
      { orderId: 'o-2', customerId: 'c-1', status: 'OPEN', amount: '5', createdAt: '2026-01-06T10:30:00Z' },
    ]),
  ],
});
`;

const testFile = (table: string): string => `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestBed, type TestBed } from 'tablewright/testing';
import { order, orders } from '../tables/${table}.ts';
import project from '../tablewright.config.ts';

let bed: TestBed;
before(async () => {
  bed = await openTestBed(project);
});
after(() => bed.close());

test('the orders of a customer come latest first', async () => {
  const common = { customerId: 'c-9', status: 'OPEN', amount: '10' } as const;
  await bed.put(orders, order, [
    { ...common, orderId: 'o-8', createdAt: '2026-02-01T00:00:00Z' },
    { ...common, orderId: 'o-9', createdAt: '2026-02-02T00:00:00Z' },
  ]);
  const found = await bed.read(orders.patterns.ofCustomer, { customerId: 'c-9' });
  assert.deepEqual(
    found.map(({ orderId }) => orderId),
    ['o-9', 'o-8'],
  );
});
`;

const programFile = `import { deployTables } from 'tablewright/pulumi';
import project from '../tablewright.config.ts';
export default deployTables(project);
`;

const pulumiFile = (name: string): string => `name: ${name}
description: DynamoDB tables of ${name}
main: infra/index.ts
runtime:
  name: nodejs
  options:
    typescript: false
    nodeargs: "--import tsx"
`;

const stackFile = (region: string): string => `config:
  aws:region: ${region}
  tablewright:production: false
`;

const compilerFile = (migrations: string): string =>
  `${JSON.stringify(
    {
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: ['node'],
      },
      include: ['tablewright.config.ts', 'tables', migrations, 'seeds', 'tests', 'infra'],
    },
    null,
    2,
  )}\n`;

/** What a project must not keep: packages, and the data of the engine on this machine. */
const ignored = ['node_modules/', '.tablewright/'];

/** The .gitignore with what is missing in it, or undefined where nothing is. */
export function ignoreFile(present: string | undefined): string | undefined {
  const lines = (present ?? '').split(/\r?\n/).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, ''));
  const missing = ignored.filter((line) => !lines.includes(line.replace(/\/$/, '')));
  if (missing.length === 0) return undefined;
  const before = present === undefined || present === '' || present.endsWith('\n') ? (present ?? '') : `${present}\n`;
  return `${before}${missing.join('\n')}\n`;
}

/** A project's name from what a package or a folder is called. */
export function projectNameFrom(text: string): string {
  const plain = text
    // Letters with an accent lose it rather than their place.
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/^@[^/]*\//, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 30)
    .replace(/-+$/, '');
  return plain.length < 3 ? `${plain}${plain === '' ? '' : '-'}tables` : plain;
}
