/** Letters that no accent can be taken off, as they are written where a keyboard lacks them. */
const plainLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ħ: 'h',
};

const folds = new Map<string, string>();
/** Texts of a table have few symbols; a hostile one has all of Unicode. */
const mostFolds = 10_000;

/** A symbol as small letters and digits, or nothing: `Ã` a, `５` 5, `٥` 5, `ß` ss, `Ł` l, a hyphen nothing. */
export function foldSymbol(symbol: string): string {
  const known = folds.get(symbol);
  if (known !== undefined) return known;
  const folded = symbol
    .normalize('NFKD')
    // Capitals first: only they know that ß is ss, and ς and σ are one.
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/[^a-z0-9]/gu, (letter) => plainLetters[letter] ?? digitOf(letter) ?? letter);
  if (folds.size < mostFolds) folds.set(symbol, folded);
  return folded;
}

/** Decimal digits of every script lie in tens, nought first (The Unicode Standard, "Decimal Digits"). */
function digitOf(symbol: string): string | undefined {
  if (!/^\p{Nd}$/u.test(symbol)) return undefined;
  const code = symbol.codePointAt(0) ?? 0;
  let digit = 0;
  while (digit < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - digit - 1))) digit += 1;
  return String(digit);
}
