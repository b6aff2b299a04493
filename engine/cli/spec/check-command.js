import { nearest } from '../../core/show/nearest.js';
import { commonApplies, commonOptions, reachOfCommon } from './common-options.js';
import { findEndpoints } from './endpoints.js';
import { dashed, takesValue } from './words.js';

/** @typedef {import('./command-spec.ts').CommandSpec} CommandSpec */
/** @typedef {import('./command-spec.ts').OptionSpec} OptionSpec */
/** @typedef {import('./words.js').Occurrence} Occurrence */

/** Texts longer than this are cut in messages. */
const shownLength = 60;

/** What was found, as a message shows it. @param {string} text */
export function shownText(text) {
  if (text === '') return 'an empty text';
  const cut = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  const quoted = /^[\x21-\x7e…]+$/.test(cut) ? cut : JSON.stringify(cut);
  return cut === text ? quoted : `${quoted} (${text.length} characters)`;
}

/**
 * The words behind the command.
 * @param {CommandSpec} spec
 * @param {readonly string[]} words
 * @param {boolean} excused An unknown option may have left its value among the words
 */
export function checkArguments(spec, words, excused) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Record<string, unknown>} */
  const given = {};
  let rest = words;
  for (const [name, { type, many, optional }] of Object.entries(spec.args ?? {})) {
    const mine = many ? rest : rest.slice(0, 1);
    rest = rest.slice(mine.length);
    if (mine.length === 0 && !optional) problems.push(`<${name}>: expected ${type.expected}, found nothing`);
    const values = mine.map((word) => {
      const value = word.trim() === '' ? undefined : type.read(word);
      if (value === undefined) problems.push(`<${name}>: expected ${type.expected}, found ${shownText(word)}`);
      return value;
    });
    given[name] = many ? values : values[0];
  }
  if (rest.length > 0 && !excused) {
    const taken = Object.keys(spec.args ?? {}).length;
    problems.push(`expected ${taken === 0 ? 'no argument' : `no more than ${taken}`}, found ${rest.map(shownText).join(' ')}`);
  }
  return { given, problems };
}

/**
 * The options: values of their kinds, and each applies to what is asked for.
 * @param {CommandSpec} spec
 * @param {readonly Occurrence[]} occurrences
 * @param {readonly CommandSpec[]} commands
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function checkOptions(spec, occurrences, commands, env) {
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const hints = [];
  const own = spec.options ?? {};
  /** @type {Map<string, unknown[]>} */
  const values = new Map();
  let unknown = false;
  for (const occurrence of occurrences) {
    const option = own[occurrence.name] ?? /** @type {Record<string, OptionSpec>} */ (commonOptions)[occurrence.name];
    if (option === undefined) {
      unknown = true;
      problems.push(notAnOption(occurrence, spec, commands));
      const near = nearest(occurrence.shown, Object.keys({ ...own, ...commonOptions }).map(dashed));
      if (near !== undefined) hints.push(`Did you mean ${near}?`);
    } else {
      const read = readValues(occurrence, option, values.has(occurrence.name));
      problems.push(...read.problems);
      values.set(occurrence.name, [...(values.get(occurrence.name) ?? []), ...read.values]);
    }
  }
  const found = serversOf(spec, values, env);
  const common = commonOf(values, found.endpoints);
  // A wrong --endpoint has been named as any other value.
  problems.push(...found.problems.filter((problem) => !problem.startsWith('--')));
  const mode = spec.mode?.(givenOf(own, values), common);
  problems.push(...applicable(spec, mode, values), ...engineProblems(values, common));
  return { problems, hints, unknown, common, given: { ...(mode === undefined ? {} : { mode }), ...givenIn(own, mode, values) } };
}

/** @param {Occurrence} occurrence @param {CommandSpec} spec @param {readonly CommandSpec[]} commands */
function notAnOption({ name, shown }, spec, commands) {
  const others = commands.filter(({ options }) => options !== undefined && name in options).map(({ words }) => words);
  return `${shown} is no option of ${spec.words}${others.length === 0 ? '' : ` (but of ${others.join(', ')})`}`;
}

/** @param {Occurrence} occurrence @param {OptionSpec} option @param {boolean} again */
function readValues({ shown, values, inline }, option, again) {
  /** @type {string[]} */
  const problems = [];
  if (!takesValue(option)) {
    if (values.length > 0) problems.push(`${shown}: expected no value, found ${shownText(values[0] ?? '')}`);
    return { values: [true], problems };
  }
  if (again && !option.many) problems.push(`${shown}: given twice`);
  const { expected, read } = /** @type {import('./command-spec.ts').Value<unknown>} */ (option.type);
  if (values.length === 0) problems.push(`${shown}: expected ${expected}, found nothing`);
  const found = values.map((text) => {
    // `--to --portable` has forgotten the value; one that does begin so is written --to=--portable.
    const value = text.trim() === '' || (text.startsWith('--') && !inline) ? undefined : read(text);
    if (value === undefined) problems.push(`${shown}: expected ${expected}, found ${shownText(text)}`);
    return value;
  });
  return { values: found, problems };
}

/**
 * The servers of a command that talks to one.
 * @param {CommandSpec} spec
 * @param {ReadonlyMap<string, readonly unknown[]>} values
 * @param {Readonly<Record<string, string | undefined>>} env
 */
function serversOf(spec, values, env) {
  const one = (/** @type {string} */ name) => /** @type {string | undefined} */ (values.get(name)?.[0]);
  return findEndpoints({ endpoint: one('endpoint'), engine: one('engine') }, spec.reach === 'store' ? env : {});
}

/**
 * @param {ReadonlyMap<string, readonly unknown[]>} values
 * @param {import('./command-spec.ts').CommonOptions['endpoints']} endpoints
 * @returns {import('./command-spec.ts').CommonOptions}
 */
function commonOf(values, endpoints) {
  const engine = /** @type {import('../../local/choose-engine.ts').EngineName | undefined} */ (values.get('engine')?.[0]);
  return {
    stack: String(values.get('stack')?.[0] ?? commonOptions.stack.default),
    ...(endpoints.dynamodb === undefined ? {} : { endpoint: endpoints.dynamodb.url }),
    ...(engine === undefined ? {} : { engine }),
    endpoints,
    json: values.has('json'),
    quiet: values.has('quiet'),
    debug: values.has('debug'),
    noColor: values.has('noColor'),
  };
}

/** @param {ReadonlyMap<string, unknown>} values @param {import('./command-spec.ts').CommonOptions} common */
function engineProblems(values, { stack }) {
  if (!values.has('engine')) return [];
  const other = values.has('endpoint') ? '--endpoint' : `--stack ${stack}`;
  return values.has('endpoint') || stack !== commonOptions.stack.default
    ? [`--engine is for the local stack, and ${other} says where the tables are`]
    : [];
}

/** @param {Readonly<Record<string, OptionSpec>>} own @param {ReadonlyMap<string, unknown>} values */
function givenOf(own, values) {
  return Object.fromEntries(Object.keys(own).map((name) => [name, values.has(name)]));
}

/** @param {OptionSpec} option @param {string | undefined} mode */
function isOf(option, mode) {
  return option.only === undefined || mode === undefined || option.only.includes(mode);
}

/**
 * The options as the action takes them: those of the mode, with defaults.
 * @param {Readonly<Record<string, OptionSpec>>} own
 * @param {string | undefined} mode
 * @param {ReadonlyMap<string, readonly unknown[]>} values
 */
function givenIn(own, mode, values) {
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, option]) => {
      if (!isOf(option, mode)) return [];
      const found = values.get(name);
      if (option.many) return [[name, found ?? []]];
      return [[name, found?.[0] ?? (takesValue(option) ? option.default : false)]];
    }),
  );
}

/**
 * What was given and does not apply, or is missing where it does.
 * @param {CommandSpec} spec
 * @param {string | undefined} mode
 * @param {ReadonlyMap<string, unknown>} values
 */
function applicable(spec, mode, values) {
  const { options = {}, modes = {} } = spec;
  /** @type {string[]} */
  const problems = [];
  for (const name of Object.keys(reachOfCommon)) {
    if (values.has(name) && !commonApplies(name, spec)) problems.push(`${dashed(name)} does not apply to ${spec.words}`);
  }
  for (const [name, option] of Object.entries(options)) {
    const shown = dashed(name);
    if (!values.has(name)) {
      if (option.required && isOf(option, mode))
        problems.push(`${shown} is missing${mode === undefined || !option.only ? '' : `; this is ${modes[mode]}`}`);
      continue;
    }
    if (!isOf(option, mode)) {
      const where = option.only?.map((one) => modes[one]).join(' or ');
      problems.push(`${shown} applies to ${where}, and this is ${modes[mode ?? '']}`);
    } else if (option.needs !== undefined && !values.has(option.needs)) {
      problems.push(`${shown} applies only beside ${dashed(option.needs)}`);
    }
    for (const other of option.excludes ?? []) {
      if (values.has(other)) problems.push(`${shown} and ${dashed(other)} exclude each other`);
    }
  }
  return problems;
}
