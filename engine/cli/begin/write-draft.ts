import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { draftText } from '../../core/begin/draft-text.ts';
import type { TableDraft } from '../../core/begin/table-draft.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { isThere, writeFile } from '../../local/write-file.ts';
import type { Context } from '../context.ts';

/** What a table's file is written with. */
const model = 'tablewright';

/** Where the file of a drafted table goes. */
export interface DraftPlace {
  readonly path: string;
  /** From the project's root, as an import in the project file has it. */
  readonly file: string;
}

/** The place that was given, else the usual one; nothing may be there, which is found out before anything is read or paid for. */
export function draftPlace({ root, cwd }: Context, name: string, out: string | undefined): DraftPlace {
  const path = out === undefined ? resolve(root, `tables/${fileName(name)}.ts`) : resolve(cwd, out);
  const place = { path, file: relative(root, path) };
  if (existsSync(path)) throw occupied(place);
  return place;
}

const fileName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

export async function writeDraft(draft: TableDraft, place: DraftPlace): Promise<void> {
  await makeFolder(dirname(place.path));
  await writeFile(place.path, draftText(draft, model), { flag: 'wx' }).catch((error: unknown) => {
    throw isThere(error) ? occupied(place) : error;
  });
}

function occupied({ file }: DraftPlace): TablewrightError {
  return new TablewrightError('FILE_FAILED', `${file} is there already, and nothing is overwritten`, {
    next: 'Give another file with --out, or move that one away.',
  });
}

/** What the definition holds, and how it becomes part of the project. */
export function describeDraft(draft: TableDraft, { file }: DraftPlace): readonly string[] {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(', ');
  return [
    `wrote ${file}`,
    `Entities   ${names(draft.entities)}`,
    ...(draft.indexes.length === 0 ? [] : [`Indexes    ${names(draft.indexes)}`]),
    `Patterns   ${names(draft.patterns)}`,
    ...draft.notes.map((note) => `Note       ${note}`),
    '→ Correct what it guesses, and add it to tablewright.config.ts:',
    `    import { ${draft.variable} } from '${file.startsWith('..') ? file : `./${file}`}';`,
    `    tables: { …, ${draft.variable} },`,
  ];
}

export function draftResult(draft: TableDraft, { file }: DraftPlace): Readonly<Record<string, unknown>> {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  return {
    file,
    table: draft.name,
    exported: draft.variable,
    entities: names(draft.entities),
    indexes: names(draft.indexes),
    patterns: names(draft.patterns),
    notes: draft.notes,
  };
}
