import type { Purpose } from '../../tables/model/stack/config/access.ts';

/**
 * Which of a stack's policies each command runs under, and no more than these. The tests run every one of them so, and the table
 * in docs/infrastructure.md is made from this list. A command without any talks to no stack on AWS.
 */
export const commandPolicies = {
  init: [],
  up: [],
  tables: [],
  patterns: [],
  query: ['application-read'],
  explain: ['application-read'],
  console: ['migration-runner', 'inspector', 'restorer'],
  'cutover status': ['application-read'],
  'cutover check': ['migration-runner'],
  'cutover apply': ['migration-runner'],
  'cutover revert': ['migration-runner'],
  'cutover shadow': ['migration-runner'],
  seed: ['seeder'],
  status: ['migration-runner'],
  plan: ['migration-runner'],
  migrate: ['migration-runner'],
  verify: ['migration-runner'],
  rollback: ['migration-runner'],
  retry: ['migration-runner'],
  repair: ['migration-runner'],
  history: ['migration-runner'],
  report: ['migration-runner'],
  attach: ['migration-runner'],
  stop: ['migration-runner'],
  pause: ['migration-runner'],
  resume: ['migration-runner'],
  unlock: ['migration-runner'],
  'migration new': [],
  'table new': [],
  // It reads what a table is, and items.
  'table from-aws': ['inspector', 'exporter'],
  export: ['exporter'],
  import: ['importer'],
  'mask plan': ['exporter'],
  // Of the stack that it reads from; the other side is written to as by an import.
  refresh: ['exporter', 'importer'],
  'subject show': ['exporter'],
  'subject erase': ['migration-runner'],
  archive: ['exporter'],
  'archive items': ['exporter'],
  'backup create': ['migration-runner'],
  'backup list': ['restorer'],
  'backup delete': ['restorer'],
  restore: ['restorer'],
  'pitr status': ['inspector'],
  'audit scans': [],
  'audit usage': [],
  doctor: ['inspector'],
  'check index': ['exporter'],
  'advise indexes': ['exporter'],
  adopt: ['inspector'],
  bundle: [],
  completion: [],
  preview: [],
  'shape release': [],
} as const satisfies Readonly<Record<string, readonly Purpose[]>>;

/** What a command takes with an option, where that is more. */
export const optionPolicies = {
  // It reads items, which an inspector may not; an exporter may, and writes to no table.
  doctor: { hotKeys: ['inspector', 'exporter'] },
  // An importer may write to tables; it deletes what the exporter has archived.
  'archive items': { delete: ['exporter', 'importer'] },
  // It stages its input in the bucket, which an importer only reads.
  import: { bulk: ['importer', 'bulk-importer'] },
  // Raising what a table takes is UpdateTable, which nobody else has.
  migrate: { warm: ['migration-runner', 'warmer'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Purpose[]>>>>;

/** The policies of a command with the options that were given. */
export function policiesFor(words: string, given: Readonly<Record<string, unknown>>): readonly Purpose[] {
  const further: Readonly<Record<string, readonly Purpose[]>> =
    words in optionPolicies ? optionPolicies[words as keyof typeof optionPolicies] : {};
  const [wider] = Object.entries(further).flatMap(([option, policies]) =>
    given[option] === undefined || given[option] === false ? [] : [policies],
  );
  return wider ?? (words in commandPolicies ? commandPolicies[words as keyof typeof commandPolicies] : []);
}
