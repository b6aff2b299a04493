/** A batch taken apart: what the engine still gets, and how its answer becomes that of the whole batch. */
export interface Parts {
  /** How many entries do not go to the engine. */
  readonly heldBack: number;
  /** Undefined when nothing is left to forward. */
  readonly forward: unknown;
  merge(answer: Record<string, unknown>): unknown;
}

interface WriteBody {
  readonly RequestItems: Record<string, unknown[]>;
}

interface StatementBody {
  readonly Statements: unknown[];
}

/** Splits off the entries that `hold` draws; undefined for an operation that has no entries. */
export function splitBatch(operation: string, body: unknown, hold: () => boolean): Parts | undefined {
  if (operation === 'BatchWriteItem') return splitWrites(body as WriteBody, hold);
  if (operation === 'BatchExecuteStatement') return splitStatements(body as StatementBody, hold);
  return undefined;
}

function splitWrites(body: WriteBody, hold: () => boolean): Parts {
  const forwarded: Record<string, unknown[]> = {};
  const held: Record<string, unknown[]> = {};
  for (const [table, entries] of Object.entries(body.RequestItems)) {
    for (const entry of entries) {
      const side = hold() ? held : forwarded;
      side[table] ??= [];
      side[table].push(entry);
    }
  }
  return {
    heldBack: Object.values(held).flat().length,
    forward: Object.keys(forwarded).length === 0 ? undefined : { ...body, RequestItems: forwarded },
    merge: (answer) => ({ ...answer, UnprocessedItems: mergeLists(answer.UnprocessedItems, held) }),
  };
}

function mergeLists(own: unknown, held: Record<string, unknown[]>): Record<string, unknown[]> {
  const merged: Record<string, unknown[]> = { ...(own as Record<string, unknown[]> | undefined) };
  for (const [table, entries] of Object.entries(held)) merged[table] = [...(merged[table] ?? []), ...entries];
  return merged;
}

const refusal = { Error: { Code: 'ThrottlingError', Message: 'Rate of requests exceeds the allowed throughput.' } };

function splitStatements(body: StatementBody, hold: () => boolean): Parts {
  const held = body.Statements.map(() => hold());
  const forwarded = body.Statements.filter((_, at) => held[at] !== true);
  return {
    heldBack: held.filter(Boolean).length,
    forward: forwarded.length === 0 ? undefined : { ...body, Statements: forwarded },
    merge(answer) {
      const own = (answer.Responses as unknown[] | undefined) ?? [];
      let next = 0;
      return { ...answer, Responses: held.map((isHeld) => (isHeld ? refusal : own[next++])) };
    },
  };
}
