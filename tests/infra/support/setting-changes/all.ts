import { readFileSync } from 'node:fs';
import { tables } from '../../../support/project.ts';
import { type Settings, stackFile } from '../stack-file.ts';
import { alarmChanges } from './alarms.ts';
import { deploymentChanges } from './deployment.ts';
import { stackChanges } from './stack.ts';
import { tableChanges } from './tables.ts';

export const settingChanges = [...stackChanges, ...tableChanges, ...alarmChanges, ...deploymentChanges];

/** Tables with and without indexes and TTL, of two systems: every kind in few resources, because each boot registers them all. */
export const changedTables = tables.filter(({ name }) =>
  ['crypto-backtest-results', 'crypto-active-coins', 'oms_config', 'tablewright-ledger'].includes(name),
);

/** A stack's file with settings of a change in it. */
export function changedFile(stack: string, own: Settings): Settings {
  const named = Object.fromEntries(Object.entries(own).map(([name, value]) => [`tablewright:${name}`, value]));
  // What it says about tables that are not in this catalogue would be refused.
  const { 'tablewright:tables': _, ...ofStack } = stackFile(stack);
  return { ...ofStack, 'tablewright:systems': ['backtest'], ...named };
}

/** Every setting that docs/configuration.md names, as it names it. */
export function documentedSettings(): ReadonlySet<string> {
  const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  return new Set(rows.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, key = '']) => key)));
}
