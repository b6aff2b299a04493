import { attributeOf, type Item, scalarText, typeOf } from '../../../tables/model/attribute-value.ts';
import { canonicalDecimal } from '../../../tables/model/decimal.ts';
import { renderTemplate, separator } from '../../../tables/model/template.ts';
import { cutKey, isTag, type KeyFacts, sourcesOf } from './key-prefixes.ts';

/** How a key attribute is made of others: the template, and what only the key holds. */
export interface TemplateGuess {
  readonly template: string;
  /** Placeholders that no attribute stands for: the key alone has their value. */
  readonly inKeyOnly: readonly string[];
  /** For a placeholder, further attributes that have the same value in every item seen. */
  readonly alternatives: Readonly<Record<string, readonly string[]>>;
}

export interface TemplateQuestion {
  readonly attribute: string;
  /** Items that have the attribute. */
  readonly items: readonly Item[];
  readonly facts: KeyFacts;
  /** The words that such keys begin with. */
  readonly words: ReadonlySet<string>;
  /** Placeholders may stand for what no attribute has. */
  readonly mayInvent: boolean;
}

/** Keys that are called as keys are put together by somebody; any other may be an attribute that is a key as well. */
const synthetic = /(^|[_-])(pk|sk|hash|range|partition|sort)(_?key)?\d*$|^gsi|^lsi|^(pk|sk)/i;

/** The template that gives the key attribute of every item, or undefined when there is none to be seen. */
export function guessTemplate(question: TemplateQuestion): TemplateGuess | undefined {
  const { attribute, items } = question;
  const texts = items.map((item) => scalarText(attributeOf(item, attribute)));
  if (items.length === 0 || !texts.every((text) => text !== undefined)) return undefined;
  const parts = partsOf(question, texts);
  if (parts === undefined) return undefined;
  const made = new Made(question);
  for (const part of parts) made.add(part);
  return made.result;
}

/** A piece of a key over all items: their texts, and what stands before them. */
interface Part {
  readonly before: string;
  readonly texts: readonly string[];
  /** The key's own word. */
  readonly isWord?: true;
}

function partsOf({ attribute, items, words }: TemplateQuestion, texts: readonly string[]): readonly Part[] | undefined {
  const isNumber = items.some((item) => typeOf(attributeOf(item, attribute) ?? { NULL: true }) === 'N');
  const cuts = texts.map((text) => cutKey(text));
  const [first] = cuts;
  const begins = first !== undefined && words.has(first.word);
  if (!isNumber && begins && cuts.every((cut) => cut?.word === first.word && cut.mark === first.mark)) {
    const rests = cuts.map((cut) => cut?.rest ?? '');
    const word: Part = { before: '', texts: cuts.map((cut) => cut?.word ?? ''), isWord: true };
    return [word, ...(first.mark === separator ? segments(rests, separator) : [{ before: first.mark, texts: rests }])];
  }
  if (!synthetic.test(attribute)) return undefined;
  return isNumber ? [{ before: '', texts }] : segments(texts, '');
}

function segments(texts: readonly string[], before: string): readonly Part[] {
  const cut = texts.map((text) => text.split(separator));
  const length = cut[0]?.length ?? 0;
  if (!cut.every((parts) => parts.length === length && parts.every((part) => part !== ''))) return [{ before, texts }];
  return Array.from({ length }, (_, at) => ({
    before: at === 0 ? before : separator,
    texts: cut.map((parts) => parts[at] ?? ''),
  }));
}

/** Puts a template together, part by part. */
class Made {
  readonly #question: TemplateQuestion;
  readonly #sources: readonly ReadonlyMap<string, string>[];
  readonly #alternatives: Record<string, readonly string[]> = {};
  readonly #inKeyOnly: string[] = [];
  #template = '';
  #last = '';
  #failed = false;

  constructor(question: TemplateQuestion) {
    this.#question = question;
    this.#sources = question.items.map((item) => sourcesOf(item, question.facts));
  }

  get result(): TemplateGuess | undefined {
    if (this.#failed) return undefined;
    return { template: this.#template, inKeyOnly: this.#inKeyOnly, alternatives: this.#alternatives };
  }

  add(part: Part): void {
    const hole = part.isWord ? undefined : this.#hole(part);
    const [text = ''] = part.texts;
    if (hole !== undefined) this.#template += `${part.before}{${hole}}`;
    else if (part.isWord || this.#isLiteral(part)) {
      this.#template += part.before + text;
      this.#last = text;
    } else if (this.#question.mayInvent && this.#template !== '') this.#template += `${part.before}{${this.#invent(part)}}`;
    else this.#failed = true;
  }

  /** The same word in every item, of several. */
  #isLiteral({ texts }: Part): boolean {
    const [text = ''] = texts;
    return texts.length >= 2 && isTag(text) && texts.every((other) => other === text);
  }

  #hole({ texts }: Part): string | undefined {
    const names = [...(this.#sources[0]?.keys() ?? [])];
    const fitting = names.flatMap((name) => {
      const way = ways.find((one) => texts.every((text, at) => this.#gives(name, one, at, text)));
      return way === undefined ? [] : [{ name, hole: `${name}${way}` }];
    });
    const [best, ...others] = fitting.toSorted((a, b) => rank(a.name, this.#last) - rank(b.name, this.#last));
    if (best !== undefined && others.length > 0) this.#alternatives[best.name] = others.map(({ name }) => name);
    return best?.hole;
  }

  #gives(name: string, way: string, at: number, text: string): boolean {
    const rendered = renderHole(`{${name}${way}}`, this.#sources[at]?.get(name));
    if (rendered === text) return true;
    const isNumber = (one: string | undefined) => one !== undefined && /^-?[\d.]+(E[+-]?\d+)?$/.test(one);
    return (
      isNumber(rendered) && isNumber(text) && this.#isNumberKey() && canonicalDecimal(rendered ?? '') === canonicalDecimal(text)
    );
  }

  #isNumberKey(): boolean {
    const { attribute, items } = this.#question;
    const value = attributeOf(items[0] ?? {}, attribute);
    return value !== undefined && 'N' in value;
  }

  #invent(part: Part): string {
    const wanted = `${this.#last.toLowerCase().replace(/\W/g, '_') || 'key'}_key`;
    const taken = new Set([...this.#sources.flatMap((source) => [...source.keys()]), ...this.#inKeyOnly]);
    let name = wanted;
    for (let at = 2; taken.has(name); at += 1) name = `${wanted}${at}`;
    this.#inKeyOnly.push(name);
    const hasMark = part.texts.some((text) => text.includes(separator));
    return hasMark ? `${name}|rest` : name;
  }
}

const ways = ['', '|iso', '|pad3', '|pad4', '|pad5', '|pad8', '|pad10', '|negate'];

function renderHole(template: string, value: string | undefined): string | undefined {
  if (value === undefined || (template.endsWith('|negate}') && !/^-?\d+(\.\d+)?$/.test(value))) return undefined;
  const rendered = renderTemplate(template, () => value);
  return 'text' in rendered ? rendered.text : undefined;
}

/** `CLIENT#` is followed by client_id rather than by another attribute of the same value; a record is sorted by its beginning. */
function rank(name: string, word: string): number {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (word !== '' && plain(name).includes(plain(word))) return 0;
  if (/id$/i.test(name)) return 1;
  return /creat|^id$/i.test(name) ? 2 : /updat|modif/i.test(name) ? 4 : 3;
}
