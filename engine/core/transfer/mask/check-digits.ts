/** Brazil's registration numbers: each check digit is 11 less the weighted sum modulo 11, or 0 where that has two digits. */
const descending = (from: number, length: number): readonly number[] =>
  Array.from({ length }, (_, at) => {
    const weight = from - at;
    // CNPJ's weights go down to 2 and begin again at 9.
    return weight < 2 ? weight + 8 : weight;
  });

export const cpfWeights = [descending(10, 9), descending(11, 10)] as const;
export const cnpjWeights = [descending(5, 12), descending(6, 13)] as const;

/**
 * The check digits behind these symbols. A letter counts as its ASCII code less 48, a digit as itself, which is the same rule: so the CNPJ with
 * letters of July 2026 (Receita Federal, Nota Técnica COCAD 49/2024) keeps the numbers of those without.
 */
export function checkDigits(base: string, weights: readonly (readonly number[])[]): string {
  const values = [...base].map((symbol) => symbol.charCodeAt(0) - zero);
  for (const line of weights) {
    const sum = line.reduce((total, weight, at) => total + weight * (values[at] ?? 0), 0);
    const rest = 11 - (sum % 11);
    values.push(rest > 9 ? 0 : rest);
  }
  return values.slice(base.length).join('');
}

const zero = 48;
