import type { Table } from '../../tables/model/table.ts';
import type { Grants, Scope } from './scope.ts';
import { policyDocument } from './statement.ts';

/** A managed policy holds this many characters, white space aside (IAM User Guide, "IAM and AWS STS quotas"). */
export const longestDocument = 6_144;

/** Part of a policy: some of its tables; the first part also has what is granted whatever the tables. */
export interface PolicyPart {
  readonly tables: readonly Table[];
  readonly document: (scope: Scope) => string;
}

export interface SplitPolicy {
  readonly parts: readonly PolicyPart[];
  /** Tables that do not even fit alone, with the length that they would need. */
  readonly tooLong: readonly { readonly table: string; readonly length: number }[];
}

/** The fewest parts that take the tables in their order, each short enough for IAM. */
export function splitPolicy(grants: Grants, scope: Scope, tables: readonly Table[]): SplitPolicy {
  const parts: PolicyPart[] = [];
  const tooLong: { readonly table: string; readonly length: number }[] = [];
  let open: readonly Table[] = [];
  const partOf = (some: readonly Table[]) => policyPart(grants, some, parts.length === 0);
  for (const table of tables) {
    if (lengthOf(partOf([...open, table]), scope) > longestDocument && open.length > 0) {
      parts.push(partOf(open));
      open = [];
    }
    open = [...open, table];
    const length = lengthOf(partOf(open), scope);
    if (length > longestDocument) tooLong.push({ table: table.name, length });
  }
  return { parts: [...parts, partOf(open)], tooLong };
}

function policyPart(grants: Grants, tables: readonly Table[], isFirst: boolean): PolicyPart {
  const document = (scope: Scope) =>
    policyDocument([...grants.ofTables(scope, tables), ...(isFirst ? grants.shared(scope) : [])]);
  return { tables, document };
}

function lengthOf({ document }: PolicyPart, scope: Scope): number {
  return document(scope).length;
}
