/**
 * What hangs on a table and can be there before a stack is: what scales its capacity, and what counts its keys. Alarms are
 * not among it: those of a stack have names of its own, and others belong to somebody else.
 */
export interface Attachments {
  /** Undefined where the server does not say. */
  readonly scaling: readonly FoundScaling[] | undefined;
  readonly insights: readonly FoundInsights[] | undefined;
}

/** A capacity that Application Auto Scaling moves. */
export interface FoundScaling {
  /** `table/orders`, `table/orders/index/ByOwner`. */
  readonly resourceId: string;
  readonly scalableDimension: string;
  readonly min: number;
  readonly max: number;
  /** What moves it: one for each metric, and a capacity has one metric. Undefined where nothing does yet. */
  readonly policy: { readonly name: string; readonly percent: number } | undefined;
}

/** Contributor Insights of a table or of one of its indexes. */
export interface FoundInsights {
  readonly index: string | undefined;
  readonly mode: string;
}

/** A table or an index by the name that Application Auto Scaling has for it. */
export function scaledResource(table: string, index?: string): string {
  return index === undefined ? `table/${table}` : `table/${table}/index/${index}`;
}
