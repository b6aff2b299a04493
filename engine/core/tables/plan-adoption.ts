import { physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { type Tags, tableTags } from '../../../tables/model/stack/tags.ts';
import type { Table } from '../../../tables/model/table.ts';
import { compareSettings } from './compare-settings.ts';
import { compareTable, isMissing, type TableDifference } from './compare-table.ts';
import type { DeployedTable } from './deployed-table.ts';
import { type Around, writtenAfterImport } from './remedies.ts';
import type { StackOwner } from './stack-owner.ts';

/** A table as it is, with what decides on its adoption. */
export interface FoundTable extends DeployedTable {
  /** The CloudFormation stack that it belongs to. */
  readonly owner: StackOwner | undefined;
}

/** What becomes of one table. */
export interface Adoption {
  /** Its name in the catalogue. */
  readonly table: string;
  readonly physical: string;
  readonly outcome: 'created' | 'same' | 'changed' | 'refused';
  /** What the next deployment changes in place, each as a sentence. */
  readonly changes: readonly string[];
  /** Why the deployment would lose the table or a part of it, each with what to do instead. */
  readonly refusals: readonly string[];
  /** Commands for what a deployment does not do by itself, each after its reason. */
  readonly byHand: readonly string[];
  /** Settings of this table around the first of two deployments, where it takes two. */
  readonly around: readonly Around[];
}

/**
 * Decides what the adoption of a table means. Nothing is ever replaced by it: what would be is refused, with what to change in
 * the catalogue so that it fits the table that is there.
 */
export function planAdoption(table: Table, config: StackConfig, found: FoundTable | undefined): Adoption {
  const physical = physicalName(table, config);
  const named = { table: table.name, physical };
  if (found === undefined) {
    const changes = ['it is not there, so it is created'];
    return { ...named, outcome: 'created', changes, refusals: [], byHand: [], around: [] };
  }
  const differences = [...compareTable(table, config, found.description), ...compareSettings(table, config, found)];
  const refused = [
    ...differences.flatMap((difference) => refusalOf(table, difference)),
    ...furtherRefusals(found),
    ...warmRefusals(table, config, found),
  ];
  const kept = differences.filter((difference) => refusalOf(table, difference).length === 0);
  const remedies = kept.flatMap(({ remedy }) => remedy ?? []);
  const around = [...remedies.flatMap((remedy) => remedy.around ?? []), ...writtenOnImport(table, config, found)];
  const changes = [
    ...kept.map((difference) => changeOf(table, config, difference)),
    ...(around.length === 0 ? [] : [writtenFirst]),
    ...(found.tags === undefined ? [] : tagChanges(table, config, found.tags)),
  ];
  const byHand = remedies.filter((remedy) => remedy.around === undefined).flatMap(({ why, commands }) => [why, ...commands]);
  const outcome = refused.length > 0 ? 'refused' : changes.length > 0 ? 'changed' : 'same';
  return { ...named, outcome, changes, refusals: refused, byHand, around };
}

const writtenFirst =
  'its capacity and that of its indexes begin at read and write of the stack’s file, and scaling goes on from there: raise them before where it needs more at once';

/** A table that turns to provisioned has its capacity written anyway. */
function writtenOnImport(table: Table, config: StackConfig, { description }: FoundTable): readonly Around[] {
  if (description.billing !== 'PROVISIONED') return [];
  const there = description.indexes.map(({ name }) => name);
  return [writtenAfterImport(table, config, there)].flatMap((around) => around ?? []);
}

/** What is ignored at the place of an index that is not there ends the deployment. */
function warmRefusals(table: Table, { tables, stack }: StackConfig, { description }: FoundTable): readonly string[] {
  const warm = Object.keys(tables[table.name]?.warm?.indexes ?? {});
  if (warm.length === 0 || description.indexes.length >= table.indexes.length) return [];
  const path = `tablewright:tables["${table.name}"].warm.indexes`;
  return [
    `it lacks indexes, so the deployment would fail at the warm throughput of ${warm.join(', ')}: take that out until they are there, with npx pulumi config rm --path '${path}' -s ${stack}`,
  ];
}

/** The deployment would replace the table, or take an index or the expiry of items away. */
function refusalOf(table: Table, { what, expected, found, remedy }: TableDifference): readonly string[] {
  const catalogue = `change ${table.name} in the catalogue`;
  if (what === 'key') return [`its key is ${found}, the catalogue says ${expected}: ${catalogue} to ${found}`];
  if (what === 'table') return [`it is ${found}: wait until it is ACTIVE`];
  if (what === 'ttl' && expected !== 'off' && found !== 'off') {
    return [
      `items expire by ${found}, the catalogue says ${expected}: ${catalogue} to ttl '${found}', or switch that TTL off first`,
    ];
  }
  if (what === 'ttl' && expected === 'off') return [`items expire by ${found}: ${catalogue} to ttl '${found}'`];
  if (remedy?.commands !== undefined && /^maximum( of index \S+)?$/.test(what)) {
    return [
      `its ${what} is ${found} and the stack’s file names none, so the deployment would fail: say it as billing.maximum of ${table.name} (docs/configuration.md), or lift it with ${remedy.commands.slice(0, 2).join(' && ')}`,
    ];
  }
  const [, index, part] = /^index (\S+)(?: (key|projection))?$/.exec(what) ?? [];
  if (index === undefined || found === 'missing') return [];
  if (expected === 'not in the catalogue') {
    return [`its index ${index} on ${found} would be dropped: add it to ${table.name} in the catalogue, or drop it first`];
  }
  if (part === undefined) return [`its index ${index} is ${found}: wait until it is ACTIVE`];
  return [
    `the ${part} of its index ${index} is ${found}, the catalogue says ${expected}; it would be built anew: ${catalogue} to ${found}`,
  ];
}

function furtherRefusals({ description, owner }: FoundTable): readonly string[] {
  const { localIndexes, replicas } = description.settings;
  return [
    ...(replicas.length === 0
      ? []
      : [
          `it has replicas (${replicas.join(', ')}), which the catalogue cannot say: the deployment would delete them; leave its system out of this stack (tablewright:systems), or remove them first`,
        ]),
    ...(localIndexes.length === 0
      ? []
      : [
          `it has local secondary indexes (${localIndexes.join(', ')}), which the catalogue cannot say: it would be replaced; move it to a table without them first`,
        ]),
    ...(owner === undefined || owner.keeps
      ? []
      : [
          `the CloudFormation stack ${owner.stack} owns it as ${owner.logicalId}, ${owner.why}; whoever deletes that stack deletes the data: set DeletionPolicy: Retain there and update it, or say '--retained ${owner.stack}' when that is done`,
        ]),
  ];
}

function changeOf(table: Table, config: StackConfig, difference: TableDifference): string {
  const { what, expected, found, remedy } = difference;
  if (remedy?.stays === true) return `${what} stays ${found}, though the stack’s file says ${expected}`;
  const [, index] = /^index (\S+)$/.exec(what) ?? [];
  if (index !== undefined) return `the index ${index} on ${expected} is added and filled; the others stay as they are`;
  if (what === 'ttl' && isMissing(difference)) return `items begin to expire by ${expected}`;
  if (what === 'encryption') return 'it is encrypted with a key of KMS, so far with DynamoDB’s own';
  if (what === 'billing') return `its billing turns from ${found} to ${expected}`;
  const turns = `${what} turns from ${found} to ${expected}`;
  return what === 'stream' && expected === 'off' ? `${turns}; to keep it: ${setting(table, config, 'stream', found)}` : turns;
}

/** The command that says a setting of a table in the stack's file. */
function setting(table: Table, { stack }: StackConfig, path: string, value: string): string {
  return `npx pulumi config set --path 'tablewright:tables["${table.name}"].${path}' '${value}' -s ${stack}`;
}

/** Tags of CloudFormation are AWS's own: nobody can take them away, and Pulumi's provider passes over them. */
function tagChanges(table: Table, config: StackConfig, found: Tags): readonly string[] {
  const wanted = tableTags(table, config);
  const set = Object.entries(wanted).filter(([name, value]) => found[name] !== value);
  const lost = Object.entries(found).filter(([name]) => !name.startsWith('aws:') && wanted[name] === undefined);
  return [
    ...set.map(([name, value]) => {
      const there = found[name];
      if (there === undefined) return `the tag ${name}=${value} is added`;
      const keep = name === 'Service' ? `; to keep it: ${setting(table, config, 'tags.Service', there)}` : '';
      return `the tag ${name} turns from ${there} to ${value}${keep}`;
    }),
    ...lost.map(([name, value]) => `the tag ${name}=${value} goes; to keep it: ${setting(table, config, `tags.${name}`, value)}`),
  ];
}
