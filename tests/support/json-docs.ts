import { commonLines, jsonLines, jsonSchema } from './json-lines.ts';

const startMark = '<!-- lines: made by npm run json-schema -->';
const endMark = '<!-- end of lines -->';

/** docs/json.schema.json as it has to be. */
export const schemaText = (): string => `${JSON.stringify(jsonSchema(), null, 1)}\n`;

/** docs/json.md with the table of lines as it has to be. */
export function withTable(page: string): string {
  const rows = Object.entries(jsonLines).map(([command, lines]) => {
    const names = Object.keys(lines).map((name) => (name === 'result' ? 'its result' : `\`${name}\``));
    return `| \`${command}\` | ${names.join(', ')} |`;
  });
  const common = Object.keys(commonLines).map((name) => `\`${name}\``);
  const table = ['| command | lines |', '|---|---|', `| every command | ${common.join(', ')} |`, ...rows].join('\n');
  const [before = ''] = page.split(startMark);
  const after = page.split(endMark)[1] ?? '';
  return `${before}${startMark}\n${table}\n${endMark}${after}`;
}
