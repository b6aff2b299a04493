import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { LedgerKey } from '../../../tables/tablewright/ledger-keys.ts';

/** How far an import got: files before `done` are dealt with whole; of the open ones, so many lines. */
export interface ImportPosition {
  readonly done: number;
  readonly open: readonly { readonly file: number; readonly lines: number; readonly whole: boolean }[];
}

export const importStart: ImportPosition = { done: 0, open: [] };

export type ImportState = 'running' | 'interrupted' | 'incomplete' | 'failed' | 'complete';

/** An import as the ledger keeps it. */
export interface ImportRecord {
  readonly table: string;
  readonly identity: string;
  readonly source: string;
  readonly options: string;
  readonly state: ImportState;
  /** Raised by whoever takes the import over. */
  readonly token: number;
  /** Raised with every checkpoint: shows that its run lives. */
  readonly beat: number;
  readonly position: ImportPosition;
  readonly lines: number;
  readonly written: number;
  readonly skipped: number;
  readonly deadLettered: number;
  readonly updatedAt: string;
}

export const importPartition = (table: string): string => `TRANSFER#import#${table}`;

export const importKey = (table: string, identity: string): LedgerKey => ({ PK: importPartition(table), SK: identity });

export function importItem(record: ImportRecord): Item {
  const { PK, SK } = importKey(record.table, record.identity);
  return {
    PK: { S: PK },
    SK: { S: SK },
    source: { S: record.source },
    options: { S: record.options },
    state: { S: record.state },
    token: { N: String(record.token) },
    beat: { N: String(record.beat) },
    position: { S: JSON.stringify(record.position) },
    lines: { N: String(record.lines) },
    written: { N: String(record.written) },
    skipped: { N: String(record.skipped) },
    deadLettered: { N: String(record.deadLettered) },
    updatedAt: { S: record.updatedAt },
  };
}

export function importRecord(table: string, identity: string, item: Item): ImportRecord {
  const text = (name: string): string => scalarText(item[name]) ?? '';
  const count = (name: string): number => Number(text(name)) || 0;
  return {
    table,
    identity,
    source: text('source'),
    options: text('options'),
    state: text('state') as ImportState,
    token: count('token'),
    beat: count('beat'),
    position: JSON.parse(text('position') || JSON.stringify(importStart)) as ImportPosition,
    lines: count('lines'),
    written: count('written'),
    skipped: count('skipped'),
    deadLettered: count('deadLettered'),
    updatedAt: text('updatedAt'),
  };
}
