// The kinds of values that options and arguments take. Each says what it expects and reads a text, or gives undefined.

/** @template T @typedef {import('./command-spec.ts').Value<T>} Value */

/** @type {import('./command-spec.ts').Flag} */
export const onOff = { flag: true };

/** @type {Value<string>} */
export const anyText = { shown: 'text', expected: 'a text', read: (given) => given };

/** @type {Value<string>} */
export const name = { shown: 'name', expected: 'a name', read: (given) => (/\s/.test(given) ? undefined : given) };

// Names of what the project has: they are completed by a shell.

/** @type {Value<string>} */
export const tableWord = { ...name, completes: 'tables' };

/** @type {Value<string>} */
export const indexWord = { ...name, completes: 'indexes' };

/** @type {Value<string>} */
export const patternWord = { ...name, completes: 'patterns' };

/** @type {Value<string>} */
export const parameterWord = { ...anyText, completes: 'parameters' };

/** @type {Value<string>} */
export const migrationWord = { ...name, completes: 'migrations' };

/** @type {Value<string>} */
export const setWord = { ...name, completes: 'seed sets' };

/** @type {Value<string>} */
export const systemWord = { ...name, completes: 'systems' };

/** Several names in one word. @type {Value<readonly string[]>} */
export const nameList = {
  shown: 'names',
  expected: 'names, with commas between them',
  read: (given) => (given.split(',').some((one) => one === '' || /\s/.test(one)) ? undefined : given.split(',')),
};

/** @type {Value<readonly string[]>} */
export const entityWords = { ...nameList, completes: 'entities' };

/** @param {number} max @returns {Value<number>} */
export function countUpTo(max) {
  return {
    shown: 'n',
    expected: `a whole number from 1 to ${max.toLocaleString('en-US')}`,
    read: (given) => (/^[1-9]\d*$/.test(given) && Number(given) <= max ? Number(given) : undefined),
  };
}

/** @type {Value<number>} */
export const count = {
  shown: 'n',
  expected: 'a whole number of at least 1',
  read: (given) => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : undefined),
};

/** @type {Value<number>} */
export const port = { ...countUpTo(65_535), expected: 'a port from 1 to 65535' };

/** @type {Value<number>} */
export const percent = {
  shown: 'percent',
  expected: 'a share above 0 and up to 100 %',
  read: (given) => {
    const value = /^\d+(\.\d+)?%?$/.test(given) ? Number(given.replace(/%$/, '')) : 0;
    return value > 0 && value <= 100 ? value : undefined;
  },
};

const isoTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A moment. The zone has to be said: a time without one means something else on every machine. @type {Value<Date>} */
export const time = {
  shown: 'time',
  expected: 'a time such as 2026-11-14T10:00:00Z',
  read: (given) => {
    const [, day] = isoTime.exec(given) ?? [];
    // Date takes the 31st of February for the 3rd of March.
    const real = day !== undefined && new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8));
    const value = new Date(given);
    return real && !Number.isNaN(value.getTime()) ? value : undefined;
  },
};

const spans = { m: 60, h: 3_600, d: 86_400 };

/** How far back: a span, or a moment. @type {Value<{ readonly text: string, readonly before: (nowMs: number) => number }>} */
export const age = {
  shown: 'age',
  expected: 'an age such as 90m, 20h or 7d, or a time such as 2026-11-14T10:00:00Z',
  read: (given) => {
    const [, number, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(given) ?? [];
    if (number !== undefined) {
      const seconds = Number(number) * spans[/** @type {keyof typeof spans} */ (unit)];
      return { text: given, before: (nowMs) => Math.floor(nowMs / 1_000) - seconds };
    }
    const at = time.read(given);
    return at === undefined ? undefined : { text: given, before: () => Math.floor(at.getTime() / 1_000) };
  },
};

/** @type {Value<Date | 'latest'>} */
export const timeOrLatest = {
  shown: 'time',
  expected: `${time.expected}, or latest`,
  read: (given) => (given === 'latest' ? given : time.read(given)),
};

/** @type {Value<string>} */
export const url = {
  shown: 'url',
  expected: 'a URL such as http://127.0.0.1:8000',
  read: (given) => (/^https?:\/\/[^/\s]/i.test(given) && URL.canParse(given) ? given : undefined),
};

/** @type {Value<string>} */
export const path = {
  shown: 'path',
  expected: 'a path',
  completes: 'files',
  read: (given) => (given.includes('\0') ? undefined : given),
};

/** @type {Value<string>} */
export const filePath = { ...path, shown: 'file', expected: 'a file' };

// Amazon S3 user guide, general purpose bucket naming rules.
const s3Place = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** Where exports lie: a prefix of a bucket, or a directory. @type {Value<import('./command-spec.ts').ExportPlace>} */
export const place = {
  shown: 'place',
  expected: 's3://bucket/prefix or a directory',
  completes: 'files',
  read: (given) => {
    const [, bucket, rest = ''] = s3Place.exec(given) ?? [];
    if (bucket !== undefined)
      return { kind: 's3', text: given, bucket, prefix: rest === '' || rest.endsWith('/') ? rest : `${rest}/` };
    if (/^s3:/i.test(given) || /^[a-z][a-z0-9+.-]*:\/\//i.test(given) || given.includes('\0')) return undefined;
    return { kind: 'directory', text: given, path: given };
  },
};

/** DynamoDB developer guide, naming rules. @type {Value<string>} */
export const tableName = {
  shown: 'name',
  expected: 'a table name of 3 to 255 letters, digits, _, - and .',
  read: (given) => (/^[\w.-]{3,255}$/.test(given) ? given : undefined),
};

/** @type {Value<string>} */
export const arn = {
  shown: 'arn',
  expected: 'an ARN such as arn:aws:dynamodb:us-east-1:123456789012:table/NAME/backup/ID',
  read: (given) => (/^arn:[^:\s]+:[^:\s]+:[^:\s]*:[^:\s]*:\S+$/.test(given) ? given : undefined),
};

/** A Pulumi stack's name; it is part of a file's name. @type {Value<string>} */
export const stackName = {
  shown: 'name',
  expected: 'the name of a stack: letters, digits, _, - and .',
  completes: 'stacks',
  read: (given) => (/^[\w-][\w.-]{0,99}$/.test(given) ? given : undefined),
};

/**
 * One of a few words.
 * @template {string} const T
 * @param {readonly T[]} words
 * @returns {Value<T>}
 */
export function oneWordOf(words) {
  return {
    shown: words.join('|'),
    expected: `one of ${words.join(', ')}`,
    completes: words,
    read: (given) => words.find((word) => word === given),
  };
}
