import { join } from 'node:path';
import ts from 'typescript';

/** What an editor offers at each `¦` of a file in a project: the answers of TypeScript's own language service. */
export function completionsIn(root: string, marked: string): readonly (readonly string[])[] {
  const file = join(root, 'being-typed.ts');
  const text = marked.replaceAll('¦', '');
  const readFile = (path: string) => (path === file ? text : ts.sys.readFile(path));
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      allowImportingTsExtensions: true,
      types: ['node'],
    }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const found = readFile(path);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile,
    directoryExists: ts.sys.directoryExists,
    ...(ts.sys.realpath === undefined ? {} : { realpath: ts.sys.realpath }),
  };
  const service = ts.createLanguageService(host);
  // Each mark before a place has moved it by one.
  const places = [...marked.matchAll(/¦/g)].map(({ index }, at) => index - at);
  return places.map((place) =>
    (service.getCompletionsAtPosition(file, place, {})?.entries ?? []).map(({ name }) => name).toSorted(),
  );
}
