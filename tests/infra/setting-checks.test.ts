import { expect } from 'chai';
import { compareSettings } from '../../engine/core/tables/compare-settings.ts';
import { compareTable } from '../../engine/core/tables/compare-table.ts';
import { compareTags } from '../../engine/core/tables/compare-tags.ts';
import type { DeployedTable } from '../../engine/core/tables/deployed-table.ts';
import { parseStackConfig, physicalName, type StackConfig, tablesOf } from '../../tables/model/stack/stack-config.ts';
import { asDeployed } from './support/as-deployed.ts';
import { changedFile, changedTables, documentedSettings, settingChanges } from './support/setting-changes/all.ts';
import type { Settings } from './support/stack-file.ts';

/** What a difference that `doctor` finds is about, for each setting that shows on a table. */
const seen: Readonly<Record<string, string>> = {
  production: 'deletion protection',
  systems: 'table',
  'nameSuffix.always': 'table',
  'nameSuffix.outsideProd': 'table',
  'tables.<name>.baseName': 'table',
  environment: 'tags',
  tags: 'tags',
  'tables.<name>.tags': 'tags',
  protect: 'deletion protection',
  'pitr.enabled': 'point-in-time recovery',
  'pitr.recoveryDays': 'recovery period',
  'tables.<name>.pitr': 'point-in-time recovery',
  contributorInsights: 'Contributor Insights',
  'tables.<name>.contributorInsights': 'Contributor Insights of index StatusIndex',
  'tables.<name>.warm': 'warm reads',
  'tables.<name>.stream': 'stream',
  'tables.<name>.tableClass': 'table class',
  billing: 'billing',
  'tables.<name>.billing': 'billing',
  'mode: on-demand': 'billing',
  'mode: provisioned': 'billing',
  'maximum.read': 'maximum',
  'maximum.write': 'maximum of index StatusIndex',
  'indexes.<name>': 'maximum of index StatusIndex',
  read: 'read capacity',
  write: 'write capacity of index StatusIndex',
  'max.read': 'scaling of reads',
  'max.write': 'scaling of writes of index StatusIndex',
  targetUtilization: 'scaling of reads',
};

const notOfTables = 'belongs to the stack, not to a table; pulumi preview --refresh compares it';
const ofTheToolkit = 'is for the command line: nothing is deployed by it';

/** Why `doctor` has nothing to say of a setting. */
const unseen: readonly (readonly [setting: RegExp, reason: string])[] = [
  [/^ephemeral$/, 'takes away what belongs to the stack; which key encrypts a table only KMS tells, and doctor may not ask it'],
  [/^account$/, 'is compared with the caller’s by every command before it works'],
  [/^(budgets\.\w+|pauseOnAlarms|priceRegion)$/, ofTheToolkit],
  [/^drift$/, 'says how one deployment writes the capacity, or is an alarm'],
  [/^(tables\.<name>\.alarms|alarms\..+|dashboards)$/, notOfTables],
  [/^\w+(Throttles|Errors|Latency|Failures|Deletions|Limits|Maximum)$/, notOfTables],
  [/^tables\.<name>\.backups$/, 'is a line of the plan of AWS Backup, which has alarms of its own'],
  [/^(exportBucket|roles|backups|schedules|runner|ci|key)\..+$/, notOfTables],
];

const configOf = (stack: string, own: Settings): StackConfig => parseStackConfig(stack, changedFile(stack, own), changedTables);

/** What `doctor` tells of tables that were deployed by the one file, with the other in its hands. */
function told(deployed: StackConfig, wanted: StackConfig): readonly string[] {
  const there = new Map(
    tablesOf(deployed, changedTables).map((table) => [physicalName(table, deployed), asDeployed(table, deployed)]),
  );
  return tablesOf(wanted, changedTables).flatMap((table) => {
    const found = there.get(physicalName(table, wanted));
    const differences = [
      ...compareTable(table, wanted, found?.description),
      ...(found === undefined ? [] : [...compareSettings(table, wanted, found), ...compareTags(table, wanted, found.tags ?? {})]),
    ];
    return differences.map(({ what }) => what);
  });
}

/** As a server shows a table that keeps no maximum. */
function hidden(description: DeployedTable['description']): DeployedTable['description'] {
  const indexes = description.indexes.map(({ maximum: _, ...index }) => index);
  return { ...description, indexes, settings: { ...description.settings, maximum: undefined } };
}

describe('doctor, on every setting that docs/configuration.md names', () => {
  it('has a check or a reason for each, and for no other', () => {
    const documented = [...documentedSettings()];
    const reasons = (key: string) => unseen.filter(([form]) => form.test(key));
    const both = documented.filter((key) => Object.hasOwn(seen, key) === reasons(key).length > 0);
    expect(both).to.deep.equal([]);
    expect(Object.keys(seen).filter((key) => !documented.includes(key))).to.deep.equal([]);
    expect(unseen.filter(([form]) => !documented.some((key) => form.test(key)))).to.deep.equal([]);
  });

  for (const [key, what] of Object.entries(seen)) {
    it(`finds ${key} when a table was deployed without it: ${what}`, () => {
      const changes = settingChanges.filter(({ keys }) => keys.includes(key));
      const found = changes.flatMap(({ stack, from = {}, to }) => told(configOf(stack, from), configOf(stack, to)));
      expect(found).to.include(what);
    });
  }

  it('has nothing to say of tables that were deployed by the same file, whatever it says', () => {
    for (const { stack, from = {}, to } of settingChanges) {
      for (const own of [from, to]) {
        const config = configOf(stack, own);
        expect(told(config, config), JSON.stringify(own)).to.deep.equal([]);
      }
    }
  });

  it('leaves alone what AWS moves by itself: capacity that scales, warm throughput that grew', () => {
    const billing = { mode: 'provisioned', read: 5, write: 6, max: { read: 50 } };
    const config = configOf('dev', { billing, tables: { 'crypto-backtest-results': { warm: { read: 12_000 } } } });
    const [table] = tablesOf(config, changedTables).filter(({ name }) => name === 'crypto-backtest-results');
    if (table === undefined) throw new Error('the catalogue has crypto-backtest-results');
    const found = asDeployed(table, config);
    const { description } = found;
    const moved = (read: number, write: number) => ({
      ...found,
      description: {
        ...description,
        capacity: { read, write },
        settings: { ...description.settings, warm: { read: 90_000, write: 40_000 } },
      },
    });
    expect(compareSettings(table, config, moved(37, 6))).to.deep.equal([]);
    // Nothing scales its writes.
    expect(compareSettings(table, config, moved(37, 9)).map(({ what }) => what)).to.deep.equal(['write capacity']);
  });

  it('says nothing of a maximum that another server does not show, and of one that nobody names how to lift it', () => {
    const config = configOf('dev', { billing: { mode: 'on-demand', maximum: { read: 7, write: 8 } } });
    const silent = configOf('dev', { billing: { mode: 'on-demand' } });
    for (const table of tablesOf(config, changedTables)) {
      const shown = asDeployed(table, config);
      const bare = asDeployed(table, silent);
      expect(compareSettings(table, config, { ...bare, description: hidden(bare.description), isAws: false })).to.deep.equal([]);
      const [difference] = compareSettings(table, silent, shown);
      expect(difference).to.deep.include({ what: 'maximum', expected: 'none', found: '7 read, 8 write units a second' });
      expect(difference?.remedy?.commands[1]).to.equal(
        `npx pulumi config set --path 'tablewright:tables["${table.name}"].billing.maximum' off -s dev`,
      );
    }
  });

  it('has nothing to say of settings that are not a table’s', () => {
    const others = settingChanges.filter(({ keys }) => keys.every((key) => !Object.hasOwn(seen, key)));
    expect(others).to.have.length.greaterThan(30);
    for (const { keys, stack, from = {}, to } of others) {
      expect(told(configOf(stack, from), configOf(stack, to)), keys.join(', ')).to.deep.equal([]);
    }
  });
});
