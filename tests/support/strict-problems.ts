import { basename, join } from 'node:path';
import ts from 'typescript';
import { repository } from './run-cli.ts';

/** What the compiler says of files outside this repository, with our own settings, in which `tablewright` is our sources. */
export function strictProblems(files: readonly string[]): readonly string[] {
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), ts.sys.readFile) as {
    readonly config: { readonly compilerOptions: object };
  };
  const { options } = ts.parseJsonConfigFileContent({ compilerOptions: config.compilerOptions, files: [] }, ts.sys, repository);
  const { tsBuildInfoFile: _, ...settings } = { ...options, incremental: false };
  const program = ts.createProgram(files, { ...settings, types: [] });
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start = 0 }) => {
      const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
      return `${basename(file)}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
