/** Brazil's registration numbers: each check digit is 11 less the weighted sum modulo 11, or 0 where that has two digits. */
const descending = (from: number, length: number): readonly number[] =>
  Array.from({ length }, (_, at) => {
    const weight = from - at;
    // CNPJ's weights go down to 2 and begin again at 9.
    return weight < 2 ? weight + 8 : weight;
  });

export const cpfWeights = [descending(10, 9), descending(11, 10)] as const;
export const cnpjWeights = [descending(5, 12), descending(6, 13)] as const;

export function checkDigits(base: readonly number[], weights: readonly (readonly number[])[]): readonly number[] {
  const digits = [...base];
  for (const line of weights) {
    const sum = line.reduce((total, weight, at) => total + weight * (digits[at] ?? 0), 0);
    const rest = 11 - (sum % 11);
    digits.push(rest > 9 ? 0 : rest);
  }
  return digits.slice(base.length);
}
