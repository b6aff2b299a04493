/** Names for what a first definition declares. All of them are made of letters and digits, whatever the table is called. */

function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** `order-items` as `orderItems`. */
export function camelCase(text: string): string {
  const [first = 'unnamed', ...rest] = wordsOf(text);
  const joined = [first, ...rest.map(capital)].join('');
  return /^\d/.test(joined) ? `n${joined}` : joined;
}

/** `order_id` as `OrderId`. */
export function pascalCase(text: string): string {
  return wordsOf(text).map(capital).join('');
}

/** `order item` as `ORDER_ITEM`. */
export function upperSnake(text: string): string {
  return wordsOf(text).join('_').toUpperCase();
}

/** `Sales.Orders_2026` as `sales-orders-2026`, the usual name of a system. */
export function kebabCase(text: string): string {
  return wordsOf(text).join('-') || 'tables';
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

// Words that a constant of a module may not be called (ECMAScript, "Keywords and Reserved Words").
const reserved =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  );

/** What a file is written with, and imports. */
export const modelNames: readonly string[] = [
  'beginsWith',
  'brazilianTime',
  'bytes',
  'decimal',
  'defineEntity',
  'defineTable',
  'epochSeconds',
  'flag',
  'integer',
  'is',
  'isoDay',
  'isoTime',
  'known',
  'listOf',
  'mapOf',
  'note',
  'plainData',
  'provisioned',
  'text',
  'valuesOf',
];

/** What no constant of such a file may be called. */
const unusable: ReadonlySet<string> = new Set([...reserved, ...modelNames]);

/** The constant that holds a table. */
export function tableVariable(name: string): string {
  const plain = camelCase(name);
  return unusable.has(plain) ? `${plain}Table` : plain;
}

/** One of many: `orders` as `order`. Words that only look like it (`status`) stay. */
export function singular(text: string): string {
  if (/(ss|us|is)$/i.test(text)) return text;
  return text.replace(/ies$/i, 'y').replace(/(?<=[a-z]{2})s$/i, '');
}

/** Gives each asked name out once: the second `order` becomes `order2`. */
export class NameBook {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** For the constants of entities beside that of their table. */
  static beside(table: string): NameBook {
    return new NameBook([...unusable, table]);
  }

  take(wanted: string): string {
    let name = wanted;
    for (let at = 2; this.#taken.has(name); at += 1) name = `${wanted}${at}`;
    this.#taken.add(name);
    return name;
  }
}
