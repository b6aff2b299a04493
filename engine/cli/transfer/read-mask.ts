import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { itemMasker } from '../../core/transfer/mask/mask-item.ts';
import { type MaskRule, maskProblems, readRules } from '../../core/transfer/mask/mask-rules.ts';
import { withOptionFile } from '../../local/file-problem.ts';
import type { Context } from '../context.ts';

/** The key comes from the environment: on the command line it would stand in process lists and histories. */
export const maskKeyVariable = 'TABLEWRIGHT_MASK_KEY';
const leastKeyLength = 16;

export interface ReadMask {
  readonly apply: (item: Item) => Item;
  /** Rules and key as one hash: an unfinished export goes on only with the same. */
  readonly digest: string;
  readonly attributes: readonly string[];
}

/** The masker of a table by a rule file. */
export async function readMask(context: Context, table: Table, file: string): Promise<ReadMask> {
  const text = await withOptionFile('--mask', file, () => readFile(resolve(context.root, file), 'utf8'));
  const rules = rulesOf(file, text);
  const problems = maskProblems(table, rules);
  if (problems.length > 0) {
    throw new TablewrightError('BAD_ARGUMENT', `--mask ${file}: these rules would leave masked data readable or torn apart`, {
      problems,
      next: `Correct ${file}; nothing was exported.`,
    });
  }
  const key = maskKey(context);
  const cache = new Map<string, Uint8Array>();
  const hash = (message: string): Uint8Array => {
    const known = cache.get(message);
    if (known !== undefined) return known;
    const found = createHmac('sha256', key).update(message).digest();
    if (cache.size < 10_000) cache.set(message, found);
    return found;
  };
  const digest = createHash('sha256').update(JSON.stringify(rules)).update(hash('digest')).digest('hex').slice(0, 16);
  return { apply: itemMasker(table, rules, hash), digest, attributes: rules.map((rule) => rule.attribute) };
}

function rulesOf(file: string, text: string): readonly MaskRule[] {
  const errors: ParseError[] = [];
  const json: unknown = parse(text, errors, { allowTrailingComma: true });
  const broken = errors.map(
    ({ error, offset }) => `line ${text.slice(0, offset).split('\n').length}: ${printParseErrorCode(error)}`,
  );
  const read = broken.length > 0 ? { problems: broken } : readRules(json);
  if ('rules' in read) return read.rules;
  throw new TablewrightError('BAD_ARGUMENT', `--mask ${file}: the rules cannot be read`, {
    problems: read.problems,
    next: 'For instance: [{ "attribute": "cpf", "as": "cpf" }, { "attribute": "address.street", "as": "text" }]',
  });
}

function maskKey({ env }: Pick<Context, 'env'>): string {
  const key = env[maskKeyVariable] ?? '';
  if (key.length >= leastKeyLength) return key;
  throw new TablewrightError(
    'BAD_ARGUMENT',
    `--mask needs a key of at least ${leastKeyLength} characters in ${maskKeyVariable}`,
    {
      next: `Set it, for instance with: export ${maskKeyVariable}=$(openssl rand -hex 16). The same key masks the same values alike in every table; keep it secret.`,
    },
  );
}
