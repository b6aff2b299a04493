import type { LeaseRecord, PauseRecord } from '../../tables/model/ledger/lock-records.ts';
import type { DeadRecord, HistoryRecord, LiveRecord } from '../../tables/model/ledger/migration-records.ts';
import type { planValue } from '../cli/migrate/plan-pending.ts';
import type { ParityReport } from '../core/cutover/parity-report.ts';
import type { JsonItem, JsonValue } from '../core/item/dynamo-json.ts';
import type { Explanation } from '../core/read/explain-read.ts';
import type { AttributeRole } from '../core/show/attribute-role.ts';
import type { Backup } from '../core/transfer/native-store.ts';
import type { PatternStatus } from '../run/cutover/status.ts';
import type { MigrationsStatus } from '../run/migrate/read-status.ts';

/*
 * What the server answers and the pages show. Types alone: nothing of the engine gets into a browser.
 */

/** A value in DynamoDB JSON. */
export type WireValue = JsonValue;
export type WireItem = JsonItem;

export interface StackAnswer {
  readonly name: string;
  /** The stack whose settings these are: the local one mirrors another. */
  readonly configured: string;
  readonly production: boolean;
  readonly region: string;
  readonly account: string | null;
  readonly endpoint: string | null;
  readonly engine: string | null;
  readonly local: boolean;
  /** Something may be changed from here. */
  readonly writes: boolean;
  /** The stack's name has to be typed for it. */
  readonly confirm: boolean;
  readonly tables: number;
}

export interface TableFigure {
  readonly table: string;
  /** The physical name. */
  readonly name: string;
  readonly system: string;
  readonly description: string;
  readonly status: string;
  readonly items: number | null;
  readonly bytes: number | null;
  /** The size is that of a few items, times their number. */
  readonly sampled: boolean;
  readonly billing: string | null;
  readonly indexes: readonly { readonly name: string; readonly status: string }[];
  readonly patterns: number;
}

export interface DoctorAnswer {
  readonly differences: readonly {
    readonly table: string;
    readonly what: string;
    readonly expected: string;
    readonly found: string;
  }[];
  readonly remedy: string | null;
  readonly notOffered: string | null;
}

export interface AttributeShape {
  readonly name: string;
  readonly kind: string;
  readonly time: string | null;
}

export interface TableAnswer {
  readonly table: string;
  readonly name: string;
  readonly system: string;
  readonly description: string;
  readonly key: readonly string[];
  readonly ttl: string | null;
  readonly indexes: readonly {
    readonly name: string;
    readonly hash: readonly string[];
    readonly range: readonly string[];
    readonly projection: string;
  }[];
  readonly entities: readonly {
    readonly name: string;
    readonly description: string;
    readonly attributes: readonly AttributeShape[];
  }[];
  readonly model: ModelAnswer;
}

export interface ShownItem {
  readonly key: string;
  readonly entity: string | null;
  readonly item: WireItem;
}

export interface ItemsAnswer {
  readonly items: readonly ShownItem[];
  /** Where the next page begins. */
  readonly next: string | null;
  readonly units: number;
}

export interface ExplainedAttribute {
  readonly name: string;
  readonly role: AttributeRole;
  /** The indexes that it is a key of. */
  readonly indexes: readonly string[];
  readonly value: WireValue | null;
  readonly rule: string | null;
  /** What the rule gives, where that is something else than what is stored. */
  readonly due: WireValue | null;
}

export interface ItemAnswer extends ShownItem {
  readonly units: number;
  readonly attributes: readonly ExplainedAttribute[];
}

export interface ModelColumn {
  /** Null for the table's own key. */
  readonly index: string | null;
  readonly hash: readonly string[];
  readonly range: readonly string[];
}

export interface ModelPlace {
  /** The templates of its parts. */
  readonly hash: readonly string[];
  readonly range: readonly string[];
  readonly when: string | null;
}

export interface ModelCell {
  readonly places: readonly ModelPlace[];
  /** Entities whose keys here cannot be told from its own. */
  readonly shared: readonly string[];
}

export interface ModelPattern {
  readonly name: string;
  readonly description: string;
  readonly index: string | null;
  readonly operation: string;
  readonly key: readonly string[];
  readonly results: readonly string[];
  readonly filter: string | null;
}

export interface ModelAnswer {
  readonly columns: readonly ModelColumn[];
  readonly rows: readonly { readonly entity: string; readonly description: string; readonly cells: readonly ModelCell[] }[];
  readonly patterns: readonly ModelPattern[];
}

export interface PatternParameter extends AttributeShape {
  readonly choices: readonly string[];
  readonly optional: boolean;
  readonly example: string;
}

export interface PatternAnswer {
  readonly name: string;
  readonly table: string;
  readonly description: string;
  readonly operation: string;
  readonly index: string | null;
  readonly params: readonly PatternParameter[];
  readonly results: readonly string[];
  /** It was a Scan once. */
  readonly legacy: boolean;
  /** Its records can be asked for from the last one on. */
  readonly reversible: boolean;
  /** It is read by the table's own key: an index cannot be read so. */
  readonly consistent: boolean;
}

export interface PatternRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly size?: number | undefined;
  readonly reverse?: boolean | undefined;
  readonly consistent?: boolean | undefined;
  readonly cursor?: string | undefined;
  /** A Scan that is paid for was asked for. */
  readonly asked?: boolean | undefined;
}

export interface PatternRead {
  readonly explanation: Omit<Explanation, 'request'> & { readonly request: Readonly<Record<string, unknown>> };
  readonly items: readonly ShownItem[];
  readonly units: number;
  readonly pages: number;
  readonly way: 'query' | 'scan';
  readonly ms: number;
  readonly cursor: string | null;
}

export type MigrationsAnswer = MigrationsStatus & {
  readonly descriptions: Readonly<Record<string, string>>;
};

export interface PlanNotes {
  /** How long it takes and what sets that; empty where nothing holds it back. */
  readonly eta: string;
  readonly remarks: readonly string[];
}

export interface PlanAnswer {
  readonly plans: readonly (ReturnType<typeof planValue> & { readonly how: string })[];
  /** Of each plan, of each of its steps. */
  readonly notes: readonly (readonly PlanNotes[])[];
  /** What all of it takes, line by line. */
  readonly total: readonly string[];
}

export interface MigrationAnswer {
  readonly id: string;
  readonly description: string | null;
  readonly steps: readonly { readonly name: string; readonly kind: string; readonly table: string | null }[];
  readonly history: readonly HistoryRecord[];
  readonly dead: readonly Pick<DeadRecord, 'shownKey' | 'table' | 'reason' | 'at'>[];
}

export interface SegmentStrip {
  readonly segments: number;
  readonly done: number;
  /** Of one segment, or of some neighbours where there are many; `share` from 0 to 1 is how far they are. */
  readonly fields: readonly {
    readonly first: number;
    readonly last: number;
    readonly scanned: number;
    readonly share: number;
  }[];
}

/** What a page that watches is sent, about once a second. */
export interface LiveAnswer {
  /** Milliseconds since 1970, of the server. */
  readonly nowMs: number;
  readonly lock: Pick<LeaseRecord, 'holder' | 'doing' | 'since' | 'leaseUntil' | 'waiting' | 'token'> | null;
  readonly paused: Pick<PauseRecord, 'by' | 'at'> | null;
  readonly states: Readonly<Record<string, string>>;
  /** Of migrations that have come to their end. */
  readonly counts: Readonly<Record<string, LiveRecord['counts']>>;
  /** The migration that is being worked on, or was when its runner was last heard of. */
  readonly run: {
    readonly migration: string;
    readonly live: LiveRecord | null;
    readonly strip: SegmentStrip;
    readonly dead: number;
    /** The last few of them, with their reasons. */
    readonly latestDead: readonly Pick<DeadRecord, 'shownKey' | 'reason' | 'at'>[];
    /** How many work on the pass elsewhere; null for a run of one process. */
    readonly workers: number | null;
  } | null;
}

export type CutoverEntry = PatternStatus & {
  readonly evidence: {
    readonly values: number;
    readonly records: number;
    readonly scanUnits: number;
    readonly queryUnits: number;
    readonly scanMs?: number | undefined;
    readonly queryMs?: number | undefined;
  } | null;
};

export interface ParityAnswer {
  readonly report: ParityReport;
}

export interface TransfersAnswer {
  readonly imports: readonly {
    readonly table: string;
    readonly source: string;
    readonly state: string;
    readonly lines: number;
    readonly written: number;
    readonly deadLettered: number;
    readonly updatedAt: string;
  }[];
  readonly backups: readonly Backup[] | Trouble;
  readonly recovery:
    | readonly {
        readonly table: string;
        readonly enabled: boolean;
        readonly earliest: string | null;
        readonly latest: string | null;
      }[]
    | Trouble;
  readonly exports:
    | {
        readonly place: string;
        readonly found: readonly {
          readonly id: string;
          readonly folder: string;
          readonly files: number;
          readonly bytes: number;
          readonly finished: boolean;
        }[];
      }
    | Trouble;
  readonly archives:
    | { readonly place: string; readonly files: number; readonly bytes: number; readonly latest: string | null }
    | Trouble;
}

/** A part of an answer that could not be had. */
export interface Trouble {
  readonly error: string;
  readonly message: string;
  readonly problems: readonly string[];
  readonly next?: string | undefined;
}
