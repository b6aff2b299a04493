import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = process.cwd();
const files = ['engine', 'tables', 'infra', 'seeds', 'migrations'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && /\.(ts)$/.test(e.name) && !e.name.endsWith('.d.ts'))
    .map((e) => relative(root, join(e.parentPath, e.name))),
);
const homes = new Map<string, Set<string>>();
for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const add = (n: string) => {
    (homes.get(n) ?? homes.set(n, new Set()).get(n)!).add(file);
  };
  for (const st of source.statements) {
    const mods = ts.canHaveModifiers(st) ? (ts.getModifiers(st) ?? []) : [];
    if (!mods.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (mods.some((m) => m.kind === ts.SyntaxKind.DefaultKeyword)) continue;
    if (ts.isVariableStatement(st)) for (const d of st.declarationList.declarations) add(d.name.getText());
    else if ('name' in st && st.name) add((st.name as ts.Identifier).text);
  }
}
for (const [n, h] of [...homes].sort()) if (h.size > 1) console.log(n, '\t', [...h].join('  '));
