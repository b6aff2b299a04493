import { commands } from '../../engine/cli/commands/all.js';
import type { ArgumentSpec, CommandSpec, Flag, OptionSpec, Value } from '../../engine/cli/spec/command-spec.ts';
import { reachOfCommon } from '../../engine/cli/spec/common-options.js';
import {
  age,
  anyText,
  arn,
  count,
  entityWords,
  filePath,
  indexWord,
  migrationWord,
  name,
  nameList,
  onOff,
  parameterWord,
  path,
  patternWord,
  percent,
  place,
  port,
  setWord,
  stackName,
  systemWord,
  tableName,
  tableWord,
  time,
  timeOrLatest,
  url,
} from '../../engine/cli/spec/values.js';
import { dashed } from '../../engine/cli/spec/words.js';

/** A command line, the exit code and what it says: its first line, whole or as a pattern. */
export interface Invocation {
  readonly args: readonly string[];
  readonly code: number;
  readonly says: string | RegExp;
}

/** Texts that are a value of a kind, and texts that are none. */
const samples = new Map<Value<unknown>, { readonly right: string; readonly wrong: readonly string[] }>([
  [anyText, { right: 'a=b', wrong: [] }],
  [parameterWord, { right: 'a=b', wrong: [] }],
  ...[name, tableWord, indexWord, patternWord, migrationWord, setWord, systemWord].map(
    (one) => [one, { right: 'something', wrong: ['two words'] }] as const,
  ),
  [nameList, { right: 'ORDER,CLIENT', wrong: [',', 'A,,B', 'A, B'] }],
  [entityWords, { right: 'ORDER,CLIENT', wrong: [',', 'A,,B', 'A, B'] }],
  [path, { right: 'some/where', wrong: ['nul\0'] }],
  [filePath, { right: 'some.file', wrong: ['nul\0'] }],
  [count, { right: '3', wrong: ['0', '-1', '1.5', '1e3', 'many', '0x10', '9999999999999999'] }],
  [port, { right: '8000', wrong: ['0', '65536', '99999', '-80', 'http'] }],
  [percent, { right: '10', wrong: ['0', '101', '-5', 'ten', '5%%'] }],
  [place, { right: 'some/where', wrong: ['s3://', 's3://AB', 's3:bucket', 'http://a/b', 'gs://bucket/x'] }],
  [time, { right: '2026-11-14T10:00:00Z', wrong: ['yesterday', '2026-02-31', '14.11.2026', '2026-11-14T10:00', '1763112000'] }],
  [age, { right: '7d', wrong: ['0d', '7', 'd', '7 days', '-1h', 'yesterday', '2026-02-31'] }],
  [timeOrLatest, { right: 'latest', wrong: ['now', 'yesterday', '2026-13-01T00:00:00Z'] }],
  [url, { right: 'http://127.0.0.1:9', wrong: ['127.0.0.1:9', 'localhost', 'ftp://a', 'http://', 'http://a:99999'] }],
  [tableName, { right: 'a_table', wrong: ['ab', 'with space', 'x'.repeat(256), 'slash/ed'] }],
  [arn, { right: 'arn:aws:dynamodb:us-east-1:123456789012:table/t/backup/1', wrong: ['my-backup', 'arn:aws:dynamodb'] }],
  [stackName, { right: 'local', wrong: ['../prod', 'a b', 'dev/x', 'x'.repeat(101)] }],
]);

/** Kinds that belong to one command: known by what they expect. */
const ownSamples: readonly (readonly [RegExp, { readonly right: string; readonly wrong: readonly string[] }])[] = [
  [/^a name like index-orders/, { right: 'index-orders', wrong: ['Index-Orders', 'orders', 'index_orders', 'a-'.repeat(201)] }],
  [/^a backup name/, { right: 'nightly', wrong: ['ab', 'a b', 'x'.repeat(256)] }],
  [/^the name of an attribute, with its type/, { right: 'at:N', wrong: ['a b', 'at:X', 'a,b', ':N'] }],
  [
    /^an index of 3 to 255 letters/,
    { right: 'ByActor=actor,at:N', wrong: ['ByActor', 'By=a', 'ByActor=', 'ByActor=a,b,c', 'ByActor=a,'] },
  ],
  [/^a region such as/, { right: 'eu-west-1', wrong: ['europe', 'eu-west', 'EU-WEST-1'] }],
  [/^a whole number from 1 to/, { right: '4', wrong: ['0', '1000001', 'x', '2.5'] }],
  [/^one of /, { right: '', wrong: ['other', 'TEXT', '1'] }],
];

export function samplesOf(type: Value<unknown>): { readonly right: string; readonly wrong: readonly string[] } {
  const found = samples.get(type) ?? ownSamples.find(([expected]) => expected.test(type.expected))?.[1];
  if (found === undefined) throw new Error(`no samples for ${type.expected}: add some`);
  const [, first = ''] = /^one of (.+?)(,|$)/.exec(type.expected) ?? [];
  return first === '' ? found : { ...found, right: first };
}

const times = ['--since', '2026-11-14T10:00:00Z', '--until', '2026-11-14T11:00:00Z'];

/** What leads into each mode. A new mode has to be added here, or the tests do not know how to get there. */
const intoMode: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  up: { embedded: [], endpoint: ['--endpoint', 'http://127.0.0.1:9'] },
  seed: { fixtures: [], volume: ['--volume', '3'] },
  migrate: { live: [], dry: ['--dry-run'], workers: ['--on', 'aws'] },
  verify: { here: [], workers: ['--on', 'aws'] },
  rollback: { here: [], workers: ['--on', 'aws'] },
  retry: { here: [], workers: ['--on', 'aws'] },
  export: {
    portable: ['--portable'],
    native: ['--native'],
    incremental: ['--native', ...times],
    named: ['--table-name', 'some_table'],
    all: ['--all'],
  },
  import: {
    write: [],
    named: ['--table-name', 'some_table'],
    all: ['--all'],
    native: ['--native'],
    bulk: ['--bulk'],
  },
  restore: { backup: ['--from-backup', samplesOf(arn).right], time: ['--to-time', 'latest'] },
};

export interface Setting {
  readonly mode: string | undefined;
  /** A right command line in this mode. */
  readonly args: readonly string[];
}

/** Every command in every mode, used rightly. */
export function settingsOf(spec: CommandSpec): readonly Setting[] {
  const words = spec.words.split(' ');
  const positional = Object.values(spec.args ?? {}).flatMap(({ type, optional }) => (optional ? [] : [samplesOf(type).right]));
  const required = entries(spec).flatMap(([name, option]) => (option.required && !option.only ? given(name, option) : []));
  const base = [...words, ...positional, ...required];
  if (spec.modes === undefined) return [{ mode: undefined, args: base }];
  return Object.keys(spec.modes).map((mode) => {
    const into = intoMode[spec.words]?.[mode];
    if (into === undefined) throw new Error(`${spec.words}: say in intoMode what leads into the mode ${mode}`);
    return { mode, args: [...base, ...into] };
  });
}

function entries(spec: CommandSpec): readonly (readonly [string, OptionSpec])[] {
  return Object.entries(spec.options ?? {});
}

function isFlag(type: Value<unknown> | Flag): type is Flag {
  return type === onOff;
}

/** An option as it is given rightly. */
export function given(name: string, { type }: OptionSpec): readonly string[] {
  return isFlag(type) ? [dashed(name)] : [dashed(name), samplesOf(type).right];
}

const isOf = (option: OptionSpec, mode: string | undefined) => mode === undefined || (option.only?.includes(mode) ?? true);

/** The first setting in which an option applies, without the option itself. */
function settingFor(spec: CommandSpec, name: string, option: OptionSpec): Setting {
  const enemies = entries(spec).flatMap(([other, { excludes }]) => (excludes?.includes(name) ? [dashed(other)] : []));
  const fits = ({ mode, args }: Setting) => isOf(option, mode) && !enemies.some((enemy) => args.includes(enemy));
  const found = settingsOf(spec).find(fits) ?? { mode: undefined, args: [] };
  const needed = option.needs === undefined ? undefined : spec.options?.[option.needs];
  const extra = option.needs === undefined || needed === undefined ? [] : given(option.needs, needed);
  const at = found.args.indexOf(dashed(name));
  const length = isFlag(option.type) ? 1 : 2;
  const args = at === -1 ? found.args : [...found.args.slice(0, at), ...found.args.slice(at + length)];
  return { ...found, args: [...args, ...(args.includes(extra[0] ?? '') ? [] : extra)] };
}

const wrong = (spec: CommandSpec, args: readonly string[], problem: string): Invocation => ({
  args,
  code: 2,
  says: `BAD_ARGUMENT: ${spec.words}: ${problem}`,
});

function shown(value: string): string {
  if (value === '') return 'an empty text';
  const cut = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  const quoted = /[\s\0]/.test(cut) ? JSON.stringify(cut) : cut;
  return cut === value ? quoted : `${quoted} (${value.length} characters)`;
}

function wrongWords(spec: CommandSpec): readonly Invocation[] {
  const [{ args: base = [] } = {}] = settingsOf(spec);
  const words = spec.words.split(' ');
  const own: readonly (readonly [string, ArgumentSpec])[] = Object.entries(spec.args ?? {});
  const rights = own.map(([, { type }]) => samplesOf(type).right);
  const rest = base.slice(words.length + own.filter(([, { optional }]) => !optional).length);
  const rows = own.flatMap(([argument, { type, optional }], at) => {
    const behind = own.slice(at + 1).flatMap(([, other]) => (other.optional ? [] : [samplesOf(other.type).right]));
    const line = (value: string) => [...words, ...rights.slice(0, at), value, ...behind, ...rest];
    const says = (found: string) => `<${argument}>: expected ${type.expected}, found ${found}`;
    const bad = ['', '  ', ...samplesOf(type).wrong].map((value) => wrong(spec, line(value), says(shown(value))));
    const nothing: Invocation =
      behind.length === 0
        ? wrong(spec, [...words, ...rights.slice(0, at), ...rest], says('nothing'))
        : wrong(spec, [...words, ...rights.slice(0, at), ...rest], `${behind.length + 1} things are wrong on the command line`);
    return optional ? bad : [nothing, ...bad];
  });
  const most = own.length === 0 ? 'no argument' : `no more than ${own.length}`;
  const tooMany = wrong(spec, [...words, ...rights, 'left', 'over', ...rest], `expected ${most}, found left over`);
  return own.some(([, { many }]) => many) ? rows : [...rows, tooMany];
}

function wrongOptions(spec: CommandSpec): readonly Invocation[] {
  return entries(spec).flatMap(([option, declared]) => {
    const { args } = settingFor(spec, option, declared);
    const shownName = dashed(option);
    if (isFlag(declared.type)) {
      return [wrong(spec, [...args, `${shownName}=yes`], `${shownName}: expected no value, found yes`)];
    }
    const { type } = declared;
    const bad = ['', ' ', ...samplesOf(type).wrong].map((value) =>
      wrong(spec, [...args, shownName, value], `${shownName}: expected ${type.expected}, found ${shown(value)}`),
    );
    const once = given(option, declared);
    return [
      ...bad,
      wrong(spec, [...args, shownName], `${shownName}: expected ${type.expected}, found nothing`),
      wrong(spec, [...args, shownName, '--json'], `${shownName}: expected ${type.expected}, found --json`),
      ...(declared.many ? [] : [wrong(spec, [...args, ...once, ...once], `${shownName}: given twice`)]),
    ];
  });
}

function modeOf(spec: CommandSpec, args: readonly string[]): string | undefined {
  const names = entries(spec).map(([option]) => [option, args.includes(dashed(option))] as const);
  const endpoint = args.includes('--endpoint') ? { endpoint: 'http://127.0.0.1:9' } : {};
  return spec.mode?.(Object.fromEntries(names), { stack: 'local', ...endpoint });
}

/** Each option in each mode that it does not apply to. */
function wrongModes(spec: CommandSpec): readonly Invocation[] {
  const modes: Readonly<Record<string, string>> = spec.modes ?? {};
  return settingsOf(spec).flatMap(({ mode = '', args }) =>
    entries(spec).flatMap(([option, declared]) => {
      const line = [...args, ...given(option, declared)];
      // An option that leads into another mode chooses that one.
      if (mode === '' || isOf(declared, mode) || args.includes(dashed(option)) || modeOf(spec, line) !== mode) return [];
      const where = (declared.only ?? []).map((one) => modes[one]).join(' or ');
      const problem = `${dashed(option)} applies to ${where}, and this is ${modes[mode]}`;
      return [wrong(spec, line, problem)];
    }),
  );
}

/** Options that go only with others, or not with them. */
function wrongCompany(spec: CommandSpec): readonly Invocation[] {
  return entries(spec).flatMap(([option, declared]) => {
    const setting = settingFor(spec, option, declared);
    const own = given(option, declared);
    const bare = settingsOf(spec).find(({ mode }) => isOf(declared, mode))?.args ?? [];
    const needs = declared.needs;
    const alone =
      needs === undefined ? [] : [wrong(spec, [...bare, ...own], `${dashed(option)} applies only beside ${dashed(needs)}`)];
    const excluded = (declared.excludes ?? []).map((other) => {
      const second = spec.options?.[other];
      const needed = second?.needs === undefined ? [] : given(second.needs, spec.options?.[second.needs] ?? declared);
      const args = [...setting.args, ...own, ...needed, ...(second === undefined ? [dashed(other)] : given(other, second))];
      return { args, code: 2, says: new RegExp(`${dashed(option)} and ${dashed(other)} exclude each other`) };
    });
    return [...alone, ...excluded];
  });
}

function wrongCommon(spec: CommandSpec): readonly Invocation[] {
  const [{ args = [] } = {}] = settingsOf(spec);
  const reach = Object.entries(reachOfCommon).flatMap(([option, reaches]) => {
    if (reaches.includes(spec.reach)) return [];
    const value = { stack: 'dev', endpoint: 'http://127.0.0.1:9', engine: 'dynoxide' }[option] ?? '';
    return [wrong(spec, [...args, dashed(option), value], `${dashed(option)} does not apply to ${spec.words}`)];
  });
  return [
    ...reach,
    wrong(spec, [...args, '--no-such-option'], `--no-such-option is no option of ${spec.words}`),
    wrong(spec, [...args, '--json=yes'], '--json: expected no value, found yes'),
  ];
}

/** Everything that can be wrong with every command by its spec alone. */
export function generatedInvocations(): readonly Invocation[] {
  return commands.flatMap((spec) => [
    ...wrongWords(spec),
    ...wrongOptions(spec),
    ...wrongModes(spec),
    ...wrongCompany(spec),
    ...wrongCommon(spec),
  ]);
}
