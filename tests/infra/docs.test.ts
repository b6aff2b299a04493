import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { commandPolicies, optionPolicies } from '../../engine/cli/policy-needs.ts';
import { stackAlarms } from '../../infra/alarms/stack-alarms.ts';
import { tableAlarms } from '../../infra/alarms/table-alarms.ts';
import { purposes } from '../../tables/model/stack/config/access.ts';
import { stackConfigSchema } from '../../tables/model/stack/stack-config.ts';
import {
  type CostPart,
  costParts,
  metricsOf,
  type StandingCost,
  standingCost,
  standingPrices,
  standingPricesAsOf,
  totalOf,
} from '../../tables/model/stack/standing-cost.ts';
import { tables } from '../support/project.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { bootedStack } from './support/booted-stacks.ts';
import { callPolicies } from './support/call-policies.ts';
import { runMocked } from './support/mocked-run.ts';
import { alarmType, ofType, tableType } from './support/registered.ts';
import { schemaKeys } from './support/schema-keys.ts';
import { configOf, stackFile } from './support/stack-file.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/infrastructure.md', function () {
  this.timeout(bootTimeoutMs);

  it('counts what both stacks really register', async () => {
    const { resources: dev } = await bootedStack('dev');
    const { resources: prod } = await bootedStack('prod');
    const row = (what: string, type: string) => `| ${what} | ${ofType(dev, type).length} | ${ofType(prod, type).length} |`;
    const indexes = tables.reduce((sum, table) => sum + table.indexes.length, 0);
    const lines = page('infrastructure.md').split('\n');
    expect(lines).to.include.members([
      `| resources in all, the stack itself included | ${dev.length} | ${prod.length} |`,
      row('tables, the ledger included', tableType),
      `| global secondary indexes | ${indexes} | ${indexes} |`,
      row('alarms', alarmType),
      `| metrics that the alarms read | ${alarmMetrics('dev')} | ${alarmMetrics('prod')} |`,
      row('dashboards, one per system', 'aws:cloudwatch/dashboard:Dashboard'),
      row('managed policies', 'aws:iam/policy:Policy'),
      row('scaled capacities, each a target and a policy', 'aws:appautoscaling/target:Target'),
    ]);
  });

  it('says which policy each command and each call needs, as the tests run them', () => {
    const text = page('infrastructure.md');
    expect(text).to.contain(policyTable());
    for (const purpose of purposes) expect(text).to.match(new RegExp(`- \\*{0,2}\`${purpose}`));
  });

  it('prices what each stack registers, part by part, and README has the sums', async () => {
    const costs = await standingCosts();
    expect(page('infrastructure.md')).to.contain(priceTable(costs));
    expect(page('infrastructure.md')).to.contain(`List prices for us-east-1, ${standingPricesAsOf}`);
    const sum = (stack: string) => `$${totalOf(costs[stack] ?? none).toFixed(0)}`;
    expect(page('../README.md').replaceAll('\n', ' ')).to.contain(
      `about ${sum('dev')} a month in dev, ${sum('staging')} in staging and ${sum('prod')} in prod, and nothing in an ephemeral stack (us-east-1 list prices of ${standingPricesAsOf},`,
    );
    expect(totalOf(costs.ephemeral ?? none)).to.equal(0);
  });
});

describe('docs/configuration.md', () => {
  it('names every key of the schema, at every depth', () => {
    const text = page('configuration.md');
    const keys = schemaKeys(stackConfigSchema);
    expect(keys).to.include.members(['production', 'targetUtilization', 'coldStorageAfterDays', 'storageClass', 'periodSeconds']);
    const missing = keys.filter((key) => !new RegExp(`[\`.]${key}[\`.:\\s]`).test(text));
    expect(missing).to.deep.equal([]);
  });
});

/** A row for each set of policies, with all that runs under it. */
function policyTable(): string {
  const withOption = Object.entries(optionPolicies).flatMap(([command, options]) =>
    Object.entries(options).map(([option, policies]) => [`${command} --${kebab(option)}`, policies] as const),
  );
  const needs = Object.entries<readonly string[]>({ ...callPolicies, ...commandPolicies, ...Object.fromEntries(withOption) });
  const shown = (names: readonly string[]) =>
    names.length === 0
      ? 'none'
      : names.map((name) => `\`${name}${name.startsWith('application-') ? '-<system>' : ''}\``).join(' and ');
  const sets = [...new Set(needs.map(([, policies]) => shown(policies)))];
  const rows = sets.map((set) => {
    const names = needs.filter(([, policies]) => shown(policies) === set).map(([name]) => `\`${name}\``);
    return `| ${names.join(', ')} | ${set} |`;
  });
  return ['| command or call | policy |', '|---|---|', ...rows].join('\n');
}

/** An option as it is written: `hotKeys` is `--hot-keys`. */
function kebab(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function alarmMetrics(stack: string): number {
  const config = configOf(stack);
  const alarms = [...tables.flatMap((table) => tableAlarms(table, config)), ...stackAlarms(config)];
  return alarms.reduce((sum, alarm) => sum + metricsOf({ ...alarm }), 0);
}

const none = standingCost([]);

const ephemeral = { 'aws:region': 'us-east-1', 'tablewright:ephemeral': 'true' };

const parts: Readonly<Record<CostPart, readonly [what: string, price: string]>> = {
  keys: ['KMS key', `$${standingPrices.key.toFixed(2)} a month`],
  alarms: ['metrics that alarms read', `$${standingPrices.alarmMetric.toFixed(2)} each`],
  dashboards: ['dashboards', `$${standingPrices.dashboard.toFixed(2)} each`],
  reads: ['provisioned reads', `$${standingPrices.readUnitHour} a unit and hour`],
  writes: ['provisioned writes', `$${standingPrices.writeUnitHour} a unit and hour`],
  scaling: ['alarms of auto scaling, four for each scaled capacity', `$${standingPrices.alarmMetric.toFixed(2)} each`],
};

/** The standing price of every stack, from what a run of the program registers. */
async function standingCosts(): Promise<Readonly<Record<string, StandingCost>>> {
  const stacks = {
    dev: (await bootedStack('dev')).resources,
    staging: (await runMocked('staging', stackFile('staging'))).resources,
    prod: (await bootedStack('prod')).resources,
    ephemeral: (await runMocked('pr-123', ephemeral)).resources,
  };
  return Object.fromEntries(
    Object.entries(stacks).map(([stack, resources]) => [
      stack,
      standingCost(resources.map(({ type, inputs }) => ({ before: undefined, after: { type, inputs } }))),
    ]),
  );
}

function priceTable(byStack: Readonly<Record<string, StandingCost>>): string {
  const costs = Object.values(byStack);
  const dollars = (amount: number) => (amount === 0 ? 'none' : `$${amount.toFixed(0)}`);
  return [
    `| | price | ${Object.keys(byStack).join(' | ')} |`,
    '|---|---|---|---|---|---|',
    ...costParts.map((part) => `| ${parts[part].join(' | ')} | ${costs.map((cost) => dollars(cost[part])).join(' | ')} |`),
    `| **together** | | ${costs.map((cost) => `**${dollars(totalOf(cost))}**`).join(' | ')} |`,
  ].join('\n');
}
