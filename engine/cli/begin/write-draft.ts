import { join } from 'node:path';
import { draftText } from '../../core/begin/draft-text.ts';
import type { TableDraft } from '../../core/begin/table-draft.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { writeFile } from '../../local/write-file.ts';
import type { Context } from '../context.ts';

/** What a table's file is written with. */
const model = 'tablewright';

/** Writes the file of a drafted table, which must not be there, and gives its path from the project's root. */
export async function writeDraft({ root }: Context, draft: TableDraft, out: string | undefined): Promise<string> {
  const file = out ?? `tables/${fileName(draft.name)}.ts`;
  const path = join(root, file);
  await makeFolder(join(path, '..'));
  await writeFile(path, draftText(draft, model), { flag: 'wx' });
  return file;
}

const fileName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** What the definition holds, and how it becomes part of the project. */
export function describeDraft(draft: TableDraft, file: string): readonly string[] {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(', ');
  return [
    `wrote ${file}`,
    `Entities   ${names(draft.entities)}`,
    ...(draft.indexes.length === 0 ? [] : [`Indexes    ${names(draft.indexes)}`]),
    `Patterns   ${names(draft.patterns)}`,
    ...draft.notes.map((note) => `Note       ${note}`),
    '→ Correct what it guesses, and add it to tablewright.config.ts:',
    `    import { ${draft.variable} } from './${file}';`,
    `    tables: { …, ${draft.variable} },`,
  ];
}

export function draftResult(draft: TableDraft, file: string): Readonly<Record<string, unknown>> {
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
