import type { Table } from '../../table.ts';
import { secondsPerDay } from '../../time.ts';
import { policiesPerRole } from './access.ts';
import { type AlarmKind, alarmDefaults, resolveAlarm, windowProblem } from './alarms.ts';
import type { BillingSettings } from './billing.ts';
import { runnerRoles } from './runner.ts';
import { jobs } from './schedules.ts';
import { type GivenSettings, mostTags, ownTags } from './schema.ts';
import { silentDays, ttlAlarm } from './ttl-alarm.ts';

export type CatalogueTable = Pick<Table, 'name' | 'system' | 'indexes' | 'ttl' | 'entities'>;

/** What no single key shows: names that the catalogue does not have, and settings that contradict each other. */
export function crossProblems(settings: GivenSettings, catalogue: readonly CatalogueTable[]): readonly string[] {
  return [
    ...unknown('systems', settings.systems ?? [], systemsOf(catalogue)),
    ...unknown(
      'tables',
      Object.keys(settings.tables),
      catalogue.map(({ name }) => name),
    ),
    ...indexProblems(settings, catalogue),
    ...roleProblems(settings, catalogue),
    ...windowProblems(settings),
    ...ttlAlarmProblems(settings, catalogue),
    ...warmProblems(settings, catalogue),
    ...baseNameProblems(settings, catalogue),
    ...tagProblems(settings),
    ...ephemeralProblems(settings),
  ];
}

function systemsOf(catalogue: readonly CatalogueTable[]): readonly string[] {
  return [...new Set(catalogue.map(({ system }) => system))];
}

function unknown(place: string, names: readonly string[], known: readonly string[]): readonly string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `${place}: expected some of ${known.join(', ')}, found ${name}`);
}

function indexProblems(settings: GivenSettings, catalogue: readonly CatalogueTable[]): readonly string[] {
  const ofStack = Object.keys(settings.billing?.indexes ?? {});
  const stackWide = ofStack.length === 0 ? [] : [`billing.indexes: expected under tables.<name>, found ${ofStack.join(', ')}`];
  const own = catalogue.flatMap(({ name, indexes }) => {
    const billing: BillingSettings | undefined = settings.tables[name]?.billing;
    const known = indexes.map((index) => index.name);
    return unknown(`tables.${name}.billing.indexes`, Object.keys(billing?.indexes ?? {}), known);
  });
  return [...stackWide, ...own];
}

/** Roles of backups, schedules and pipelines. */
const ownRoles = ['backups', ...jobs.flatMap((job) => [job, `${job}-schedule`]), 'deploy', 'migrate'];

function roleProblems(settings: GivenSettings, catalogue: readonly CatalogueTable[]): readonly string[] {
  const known = systemsOf(catalogue).filter((system) => system !== 'tablewright');
  const deployed = known.filter((system) => settings.systems?.includes(system) ?? true);
  // A stack without a runner may have a role of such a name from before there was one.
  const taken = settings.runner.enabled ? [...ownRoles, ...Object.values(runnerRoles)] : ownRoles;
  return Object.entries(settings.roles).flatMap(([name, role]) => {
    if (taken.includes(name)) return [`roles.${name}: expected another name, because the stack makes a role of this name itself`];
    const systems = role.systems ?? deployed;
    const application = role.policies.filter((purpose) => purpose.startsWith('application-')).length;
    const count = application * systems.length + role.policies.length - application;
    return [
      ...unknown(`roles.${name}.systems`, systems, deployed),
      ...(settings.production && role.policies.includes('seeder')
        ? [`roles.${name}.policies: expected no seeder in a production stack, found seeder`]
        : []),
      ...(role.policies.includes('stream-reader') && Object.values(settings.tables).every(({ stream }) => stream === undefined)
        ? [`roles.${name}.policies: expected stream-reader only where a table has a stream, found none with one`]
        : []),
      ...(count > policiesPerRole
        ? [`roles.${name}: expected at most ${policiesPerRole} policies for a role, found ${count}; name fewer systems`]
        : []),
    ];
  });
}

function windowProblems({ alarms, tables }: GivenSettings): readonly string[] {
  const kinds = Object.keys(alarmDefaults) as AlarmKind[];
  const problem = (place: string, text: string | undefined) => (text === undefined ? [] : [`${place}: ${text}`]);
  const ofStack = kinds.flatMap((kind) =>
    problem(`alarms.${kind}`, windowProblem(kind, resolveAlarm(alarmDefaults[kind], alarms[kind]))),
  );
  const ofTables = Object.entries(tables).flatMap(([name, { alarms: own = {} }]) =>
    (Object.keys(own) as (keyof typeof own)[]).flatMap((kind) =>
      problem(`tables.${name}.alarms.${kind}`, windowProblem(kind, resolveAlarm(alarmDefaults[kind], alarms[kind], own[kind]))),
    ),
  );
  return [...ofStack, ...ofTables];
}

/** An alarm that would ring because a table is new. */
function ttlAlarmProblems({ alarms, tables }: GivenSettings, catalogue: readonly CatalogueTable[]): readonly string[] {
  return catalogue.flatMap((table) => {
    const own = tables[table.name]?.alarms?.ttlDeletions;
    const alarm = ttlAlarm(table, alarms.ttlDeletions, own);
    if (alarm === undefined || !alarm.enabled || alarm.isCovered || alarm.from !== undefined) return [];
    const days = silentDays(table);
    const why =
      days === undefined
        ? `only the application knows how long items of ${table.name} live`
        : `a new table loses nothing for ${days} days, and the alarm sees ${(alarm.periodSeconds * alarm.periods) / secondsPerDay}`;
    const place = own === undefined ? 'alarms' : `tables.${table.name}.alarms`;
    return [`${place}.ttlDeletions: expected from, the day from which items of ${table.name} must have expired: ${why}`];
  });
}

function warmProblems({ tables }: GivenSettings, catalogue: readonly CatalogueTable[]): readonly string[] {
  return catalogue.flatMap(({ name, indexes }) => {
    const known = indexes.map((index) => index.name);
    return unknown(`tables.${name}.warm.indexes`, Object.keys(tables[name]?.warm?.indexes ?? {}), known);
  });
}

/** Two tables of one name would be one. */
function baseNameProblems({ tables }: GivenSettings, catalogue: readonly CatalogueTable[]): readonly string[] {
  const bases = catalogue.map(({ name }) => ({ name, base: tables[name]?.baseName ?? name }));
  return bases.flatMap(({ name, base }, at) => {
    const other = bases.find((one, place) => one.base === base && place !== at);
    if (other === undefined || tables[name]?.baseName === undefined) return [];
    return [`tables.${name}.baseName: expected a name of its own, found ${base}, which ${other.name} has`];
  });
}

/** A table has the stack's tags and its own, and AWS counts them together. */
function tagProblems({ tags, tables }: GivenSettings): readonly string[] {
  return Object.entries(tables).flatMap(([name, { tags: own = {} }]) => {
    const count = Object.keys({ ...tags, ...own }).filter((tag) => !ownTags.some((one) => one === tag)).length;
    const isOwn = Object.keys(own).length > 0 && count > mostTags;
    return isOwn ? [`tables.${name}.tags: expected at most ${mostTags} tags with those of the stack, found ${count}`] : [];
  });
}

/** What an ephemeral stack is without, and what would outlive it or keep it from being destroyed. */
function ephemeralProblems(settings: GivenSettings): readonly string[] {
  if (!settings.ephemeral) return [];
  const { production, protect, backups, pitr, tables, ci } = settings;
  const wanted: readonly (readonly [place: string, isThere: boolean])[] = [
    ['production', production],
    ['protect', protect === true],
    ['backups.enabled', backups.enabled === true],
    ['pitr.enabled', pitr.enabled === true],
    ['ci', ci !== undefined],
    ...Object.entries(tables).map(([name, own]) => [`tables.${name}.pitr.enabled`, own.pitr?.enabled === true] as const),
  ];
  return wanted.flatMap(([place, isThere]) => (isThere ? [`${place}: expected none in a stack that is ephemeral`] : []));
}
