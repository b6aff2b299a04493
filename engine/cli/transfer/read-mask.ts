import { createHash, createHmac, scryptSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { TablewrightError } from '../../../tables/model/error.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import type { Table } from '../../../tables/model/table.ts';
import { nearest } from '../../core/show/nearest.js';
import { type BoundTable, bindRules, type NumberedRule } from '../../core/transfer/mask/bind-rules.ts';
import { unmatchedRules } from '../../core/transfer/mask/check-tally.ts';
import { type ItemMasker, itemMasker } from '../../core/transfer/mask/mask-item.ts';
import { type MaskFile, readMaskFile } from '../../core/transfer/mask/mask-rules.ts';
import type { KeyedHash } from '../../core/transfer/mask/permute.ts';
import { withOptionFile } from '../../local/file-problem.ts';
import type { ExportMask } from '../../run/transfer/export-environment.ts';
import type { Context } from '../context.ts';

/** The key comes from the environment: on the command line it would stand in process lists and histories. */
export const maskKeyVariable = 'TABLEWRIGHT_MASK_KEY';
const leastKeyLength = 16;

/** The rules of a file, bound to the catalogue. */
export interface MaskRules {
  readonly path: string;
  readonly file: MaskFile;
  readonly rules: readonly NumberedRule[];
  readonly ofTable: (table: Table) => BoundTable;
}

/** Rules and a key. */
export interface Mask extends MaskRules {
  readonly hash: KeyedHash;
  /** Rules and key as one hash: what is unfinished goes on only with the same. */
  readonly digest: string;
}

/** A rules file: YAML, and so JSON. Everything that is wrong with it is told together. */
export async function readMaskRules(
  context: Pick<Context, 'root' | 'catalogue'>,
  path: string,
  option = '--mask',
): Promise<MaskRules> {
  const text = await withOptionFile(option, path, () => readFile(resolve(context.root, path), 'utf8'));
  const file = fileOf(`${option} ${path}`, text);
  const bound = bindRules(context.catalogue, file, nearest);
  if ('problems' in bound) {
    throw new TablewrightError('BAD_ARGUMENT', `${option} ${path}: these rules cannot do what they are for`, {
      problems: bound.problems,
      next: `Correct ${path}; nothing was read.`,
    });
  }
  const ofTable = (table: Table): BoundTable => {
    if (table.name === ledger.name) throw unmaskable();
    const found = bound.tables.get(table.name);
    if (found === undefined) throw new TypeError(`${table.name} is not in the catalogue`);
    return found;
  };
  return { path, file, rules: bound.rules, ofTable };
}

/** Journals hold items of all tables whole, as they were: rules are for attributes of those, and find none here. */
function unmaskable(): TablewrightError {
  return new TablewrightError(
    'BAD_ARGUMENT',
    `${ledger.name}: the ledger cannot be masked: its journals hold items of other tables`,
    {
      next: 'Export it without --mask, as confidential as those tables are; to fill a test stack it is of no use. Nothing was read.',
    },
  );
}

export async function readMask(context: Context, path: string): Promise<Mask> {
  const rules = await readMaskRules(context, path);
  const hash = keyedHash(maskKey(context));
  const shape = JSON.stringify(rules.file);
  const digest = createHash('sha256').update(shape).update(hash('digest')).digest('hex').slice(0, 16);
  return { ...rules, hash, digest };
}

/** The mask of a table's export. */
export function exportMask(mask: Mask, table: Table): ExportMask {
  const bound = mask.ofTable(table);
  return {
    masker: (): ItemMasker => itemMasker(bound, mask.hash),
    key: table.key,
    check: (tally) => {
      const problems = unmatchedRules(bound, tally);
      if (problems.length === 0) return;
      throw new TablewrightError('BAD_ARGUMENT', `${table.name}: rules of ${mask.path} matched nothing`, {
        problems,
        next: `Correct ${mask.path}, then run the command again. No export was finished.`,
      });
    },
  };
}

/** A record asks for the same ones several times; after a while others are asked for. */
const rememberedHashes = 10_000;

/** HMAC-SHA-256 under a key that is slow to derive, so that guessing keys from masked values is slow. */
export function keyedHash(secret: string): KeyedHash {
  const key = scryptSync(secret, 'tablewright mask', 32);
  const remembered = new Map<string, Uint8Array>();
  return (message) => {
    const known = remembered.get(message);
    if (known !== undefined) return known;
    const found = createHmac('sha256', key).update(message).digest();
    if (remembered.size >= rememberedHashes) remembered.clear();
    remembered.set(message, found);
    return found;
  };
}

function fileOf(where: string, text: string): MaskFile {
  const document = parseDocument(text);
  const broken = document.errors.map(({ message, linePos }) => {
    const what = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    return `line ${linePos?.[0].line ?? 1}: ${what}`;
  });
  const read = broken.length > 0 ? { problems: broken } : readMaskFile(document.toJS());
  if ('file' in read) return read.file;
  throw new TablewrightError('BAD_ARGUMENT', `${where}: the rules cannot be read`, {
    problems: read.problems,
    next: 'For instance: [{ attribute: cpf, as: cpf }, { table: oms_config, entity: CLIENT, attribute: name, as: name }]',
  });
}

function maskKey({ env }: Pick<Context, 'env'>): string {
  const key = env[maskKeyVariable] ?? '';
  if (key.length >= leastKeyLength) return key;
  throw new TablewrightError(
    'BAD_ARGUMENT',
    `a mask needs a key of at least ${leastKeyLength} characters in ${maskKeyVariable}`,
    {
      next: `Set it, for instance with: export ${maskKeyVariable}=$(openssl rand -hex 32). The same key masks the same values alike in every table; keep it secret.`,
    },
  );
}
