/** A read as somebody else can send it. */
export interface CopiedCall {
  readonly pattern: string;
  /** As they are typed: bytes as base64. */
  readonly params: Readonly<Record<string, string>>;
  /** The names of those that are bytes. */
  readonly bytes?: readonly string[];
  readonly limit: number | undefined;
  readonly reverse: boolean;
  readonly consistent: boolean;
}

export interface CopiedStack {
  readonly name: string;
  readonly configured: string;
  readonly region: string;
  readonly endpoint: string | null;
  /** The engine that the console itself has started; other commands find it without being told where. */
  readonly engine: string | null;
  readonly local: boolean;
}

/** A word of a command line as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** For a program: with the reader of applications. */
export function asTypeScript(
  { pattern, params, bytes = [], limit, reverse, consistent }: CopiedCall,
  stack: CopiedStack,
): string {
  const endpoint = stack.endpoint === null ? '' : `, endpoint: ${literal(stack.endpoint)}`;
  const options = [
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
    ...(reverse ? ['reverse: true'] : []),
    ...(consistent ? ['consistent: true'] : []),
  ];
  const given = Object.entries(params).map(([name, value]) =>
    bytes.includes(name) ? `${name}: Buffer.from(${literal(value)}, 'base64')` : `${name}: ${literal(value)}`,
  );
  const call = [
    literal(pattern),
    ...(given.length === 0 && options.length === 0 ? [] : [given.length === 0 ? '{}' : `{ ${given.join(', ')} }`]),
    ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`]),
  ].join(', ');
  return [
    "import { openReader } from 'tablewright';",
    "import project from './tablewright.config.ts';",
    '',
    `const reader = openReader(project, { stack: ${literal(stack.configured)}, region: ${literal(stack.region)}${endpoint} });`,
    `for await (const record of reader.read(${call})) console.log(record);`,
    'await reader.close();',
  ].join('\n');
}

const literal = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** For a terminal. */
export function asCommand({ pattern, params, limit, reverse, consistent }: CopiedCall, stack: CopiedStack): string {
  return [
    'npx tablewright query',
    pattern,
    ...Object.entries(params).map(([name, value]) => quoted(`${name}=${value}`)),
    ...(limit === undefined ? [] : ['--limit', String(limit)]),
    ...(reverse ? ['--reverse'] : []),
    ...(consistent ? ['--consistent'] : []),
    ...(stack.local ? [] : ['--stack', quoted(stack.name)]),
    ...(stack.endpoint === null || stack.engine !== null ? [] : ['--endpoint', quoted(stack.endpoint)]),
  ].join(' ');
}

/** For the AWS command line: the very request. */
export function asAws(operation: string, request: Readonly<Record<string, unknown>>, stack: CopiedStack): string {
  const calls: Readonly<Record<string, string>> = { GetItem: 'get-item', Scan: 'scan' };
  const options = Object.entries(request).flatMap(([name, value]) => {
    const option = `--${name.replace(/(?!^)([A-Z])/g, '-$1').toLowerCase()}`;
    if (typeof value === 'boolean') return [value ? option : `--no-${option.slice(2)}`];
    return [`${option} ${quoted(typeof value === 'object' ? JSON.stringify(value) : String(value))}`];
  });
  const server = stack.endpoint === null ? [] : [`--endpoint-url ${stack.endpoint}`];
  const lines = [`aws dynamodb ${calls[operation] ?? 'query'}`, ...options, `--region ${stack.region}`, ...server];
  return lines.join(' \\\n  ');
}
