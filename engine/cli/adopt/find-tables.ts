import { parse } from 'yaml';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Tags } from '../../../tables/model/stack/tags.ts';
import type { Table } from '../../../tables/model/table.ts';
import { readTemplate } from '../../aws/tables/stack-template.ts';
import type { Lacks } from '../../core/store/features.ts';
import type { FoundTable } from '../../core/tables/plan-adoption.ts';
import { judgeTemplate, ownerOf, type StackOwner } from '../../core/tables/stack-owner.ts';
import type { Context } from '../context.ts';
import { findDeployed } from '../find-deployed.ts';
import type { OpenStack } from '../open-stack.ts';

export interface FindOptions {
  readonly lacks: Lacks;
  /** CloudFormation stacks that somebody says leave their tables behind. */
  readonly retained: readonly string[];
}

/** Every table of the stack as it really is; undefined for those that are not there. */
export async function findTables(
  context: Context,
  stack: OpenStack,
  { lacks, retained }: FindOptions,
): Promise<ReadonlyMap<Table, FoundTable | undefined>> {
  const found = new Map<Table, FoundTable | undefined>();
  const owner = ownerLookup(stack, retained, context.signal);
  for (const [table, deployed] of await findDeployed(context, stack, stack.tables, lacks)) {
    found.set(table, deployed && { ...deployed, owner: await owner(deployed.tags ?? {}) });
  }
  const owners = [...found.values()].flatMap((one) => (one?.owner === undefined ? [] : [one.owner.stack]));
  refuseStrangers(retained, [...new Set(owners)]);
  return found;
}

/** A name that is not meant for any table is a slip of the pen, and what it was meant for would be refused or lost. */
function refuseStrangers(retained: readonly string[], owners: readonly string[]): void {
  const strangers = retained.filter((name) => !owners.includes(name));
  if (strangers.length === 0) return;
  const has = owners.length === 0 ? 'no CloudFormation stack owns one' : `their owners are ${owners.join(', ')}`;
  throw new TablewrightError('UNKNOWN_NAME', '--retained names stacks that own none of the tables', {
    problems: strangers.map((name) => `${name}: expected a CloudFormation stack that a table belongs to; ${has}`),
    next: owners.length === 0 ? 'Leave --retained out.' : `Name those of ${owners.join(', ')} that leave their tables behind.`,
  });
}

/** Several tables of one CloudFormation stack ask for its template once. */
function ownerLookup(
  { config: { region }, patience }: OpenStack,
  retained: readonly string[],
  signal: AbortSignal,
): (tags: Tags) => Promise<StackOwner | undefined> {
  const templates = new Map<string, ReturnType<typeof readTemplate>>();
  return async (tags) => {
    const owner = ownerOf(tags);
    if (owner === undefined) return undefined;
    if (retained.includes(owner.stack)) return { ...owner, keeps: true, why: '' };
    const asked = templates.get(owner.stack) ?? readTemplate({ region, patience, signal }, owner.stack);
    templates.set(owner.stack, asked);
    const { text, why } = await asked;
    if (text === undefined) return { ...owner, keeps: false, why };
    return judgeTemplate(owner, parseTemplate(text));
  };
}

/** JSON, or YAML with CloudFormation's own tags (`!Ref`): what is behind them does not matter here. */
function parseTemplate(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}
