import { ledger } from '../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';

/** One measured step, run in a process of its own. */
export interface Step {
  readonly kind: 'raw-write' | 'writer' | 'raw-scan' | 'export' | 'import' | 'digest';
  readonly endpoint: string;
  readonly table: string;
  /** Where exports lie. */
  readonly directory: string;
  readonly count: number;
}

export interface Measured {
  readonly items: number;
  readonly seconds: number;
  readonly idleMegabytes: number;
  readonly peakMegabytes: number;
  readonly cpuMicrosPerItem: number;
  /** Of `digest`: the same for the same items, in any order. */
  readonly digest?: string;
}

export const ledgerNames = { project: 'tablewright', stack: 'bench', nameSuffix: {}, tables: {} };
export const ledgerName = physicalName(ledger, ledgerNames);
/** Segments of the raw scan and of the export. */
export const segments = 4;
