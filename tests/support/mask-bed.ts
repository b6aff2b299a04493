import { createHmac } from 'node:crypto';
import { nearest } from '../../engine/core/show/nearest.js';
import { bindRules } from '../../engine/core/transfer/mask/bind-rules.ts';
import { type ItemMasker, itemMasker } from '../../engine/core/transfer/mask/mask-item.ts';
import type { MaskFile, MaskRule } from '../../engine/core/transfer/mask/mask-rules.ts';
import type { Table } from '../../tables/model/table.ts';
import { tables } from './project.ts';

/** A key as good as any. */
export const testHash = (text: string): Uint8Array => createHmac('sha256', 'a key for these tests').update(text).digest();

export function maskFile(rules: readonly MaskRule[], more: Partial<MaskFile> = {}): MaskFile {
  return { rules, strays: [], subjects: [], whole: [], ...more };
}

/** What is wrong with the rules; nothing when they can be used. */
export function ruleProblems(file: MaskFile, catalogue: readonly Table[] = tables): readonly string[] {
  const bound = bindRules(catalogue, file, nearest);
  return 'problems' in bound ? bound.problems : [];
}

export function boundTable(table: Table, file: MaskFile, catalogue: readonly Table[] = tables) {
  const bound = bindRules(catalogue, file, nearest);
  if ('problems' in bound) throw new Error(bound.problems.join('\n'));
  const found = bound.tables.get(table.name);
  if (found === undefined) throw new Error(`${table.name} is not in the catalogue`);
  return found;
}

export function maskerOf(table: Table, file: MaskFile, catalogue: readonly Table[] = tables): ItemMasker {
  return itemMasker(boundTable(table, file, catalogue), testHash);
}
