/**
 * What a mask has done so far, by names that add up over segments and runs: `rule:3` values that rule 3 found (from 0), `entity:CUSTOMER`
 * records, `copies` of values elsewhere in their records, `disagree:CUSTOMER.cpf` keys that say something else than the attribute, `dropped` records.
 */
export type MaskTally = Readonly<Record<string, number>>;

export function addTallies(a: MaskTally, b: MaskTally): MaskTally {
  const sum: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
