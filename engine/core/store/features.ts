import { TablewrightError } from '../../../tables/model/error.ts';
import { maxTransactionWrites } from '../../../tables/model/operation.ts';

/** What servers that speak DynamoDB's protocol may do without. */
export const features = [
  'encryption',
  'point-in-time recovery',
  'tags',
  'backups',
  'TTL',
  'PartiQL',
  'transactions',
  'index keys of several attributes',
] as const;

export type Feature = (typeof features)[number];

export type Lacks = ReadonlySet<Feature>;

interface Need {
  readonly operation: string;
  readonly purpose: string;
  /** The first release of Amazon's own server that has it (DynamoDB Local, release notes). */
  readonly since: string;
}

/** What nothing else can stand for. */
const needs: Partial<Readonly<Record<Feature, Need>>> = {
  PartiQL: { operation: 'BatchExecuteStatement', purpose: 'migrations change items with it', since: 'DynamoDB Local 1.15.0' },
  transactions: {
    operation: 'TransactWriteItems',
    purpose: `the ledger and every operation are written with it, up to ${maxTransactionWrites} actions at once`,
    since: 'DynamoDB Local 1.21.0',
  },
  'index keys of several attributes': {
    operation: 'index keys of several attributes',
    purpose: 'the catalogue has indexes with them',
    since: 'DynamoDB Local 3.3.0',
  },
};

/** Refuses a server that lacks what the toolkit cannot do without: all of it at once, before anything is written. */
export function refuseLacking(lacks: Lacks, server: string | undefined): void {
  const missing = features.flatMap((feature) => (lacks.has(feature) && needs[feature] !== undefined ? [needs[feature]] : []));
  if (missing.length === 0) return;
  const operations = missing.map(({ operation }) => operation).join(' and ');
  throw new TablewrightError('NOT_OFFERED', `${server ?? 'this server'} does not offer ${operations}`, {
    problems: missing.map(({ operation, purpose, since }) => `${operation}: ${purpose}; ${since} has it`),
    next: 'Use a server that has it, or leave out --endpoint for an engine on this machine.',
  });
}

/** The feature that an operation belongs to, and the release that has it; undefined for one that is not needed. */
export function needOf(operation: string): Need | undefined {
  return Object.values(needs).find((need) => need.operation === operation);
}

/** `encryption, tags`: in the order of the list. */
export function shownLacks(lacks: Lacks): string {
  return features.filter((feature) => lacks.has(feature)).join(', ');
}
