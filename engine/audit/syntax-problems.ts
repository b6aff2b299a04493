import ts from 'typescript';
import type { Codebase } from './codebase.ts';

/** Where a file is no TypeScript or JavaScript: what stands behind it may not have been understood. */
export interface SyntaxProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The first place of each file that cannot be parsed; one mistake makes a parser stumble several times. */
export function syntaxProblems({ files }: Pick<Codebase, 'files'>): readonly SyntaxProblem[] {
  const byName = new Map(files.map((file) => [file.fileName, file]));
  const options: ts.CompilerOptions = { noResolve: true, noLib: true, allowJs: true, jsx: ts.JsxEmit.Preserve, types: [] };
  // The files as they were parsed already: the program reads nothing.
  const program = ts.createProgram([...byName.keys()], options, {
    getSourceFile: (name) => byName.get(name),
    fileExists: (name) => byName.has(name),
    readFile: (name) => byName.get(name)?.text,
    getDefaultLibFileName: () => '',
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    writeFile: () => undefined,
  });
  return files.flatMap((file) => {
    const [first] = program.getSyntacticDiagnostics(file);
    if (first === undefined) return [];
    const { line, character } = file.getLineAndCharacterOfPosition(first.start);
    const message = ts.flattenDiagnosticMessageText(first.messageText, ' ');
    return [{ file: file.fileName, line: line + 1, column: character + 1, message }];
  });
}
