import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { commandPolicies, optionPolicies } from '../../engine/cli/policy-needs.ts';
import { stackAlarms } from '../../infra/alarms/stack-alarms.ts';
import { tableAlarms } from '../../infra/alarms/table-alarms.ts';
import { purposes } from '../../tables/model/stack/config/access.ts';
import { billingOf, stackConfigSchema } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { bootedStack } from './support/booted-stacks.ts';
import { callPolicies } from './support/call-policies.ts';
import { alarmType, ofType, tableType } from './support/registered.ts';
import { schemaKeys } from './support/schema-keys.ts';
import { configOf } from './support/stack-file.ts';

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

  it('prices the alarms and the capacity that there are', () => {
    const [reads, writes] = provisionedUnits();
    const hours = 730;
    const lines = page('infrastructure.md').split('\n');
    const dollars = (amount: number) => `$${Math.round(amount)}`;
    expect(lines).to.include.members([
      `| alarm metrics | $0.10 each | ${dollars(alarmMetrics('dev') * 0.1)} | ${dollars(alarmMetrics('prod') * 0.1)} |`,
      `| provisioned reads, ${reads} RCU in prod | $0.00013 an hour | none | ${dollars(reads * 0.00013 * hours)} |`,
      `| provisioned writes, ${writes} WCU in prod | $0.00065 an hour | none | ${dollars(writes * 0.00065 * hours)} |`,
    ]);
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
  return alarms.reduce(
    (sum, { metricQueries }) => sum + (metricQueries?.filter(({ metric }) => metric !== undefined).length ?? 1),
    0,
  );
}

function provisionedUnits(): readonly [reads: number, writes: number] {
  const units = tables.flatMap((table) => {
    const billing = billingOf(table, configOf('prod'));
    return billing.mode === 'provisioned' ? [billing.table, ...Object.values(billing.indexes)] : [];
  });
  return [units.reduce((sum, { read }) => sum + read, 0), units.reduce((sum, { write }) => sum + write, 0)];
}
