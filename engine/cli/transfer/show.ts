/** Sizes, counts and times as people read them. */
export function showBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_024 * 1_024) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_024 / 1_024).toFixed(1)} MB`;
}

export function showCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

export function showSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/** A word of a command line as a shell takes it. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./#-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command that goes on with what was interrupted. */
export function showCommand(words: readonly string[], options: Readonly<Record<string, unknown>>, stack: string): string {
  const all: Readonly<Record<string, unknown>> = { ...(stack === 'local' ? {} : { stack }), ...options };
  const given = Object.entries(all).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    return values.flatMap((one) => [flag, shellWord(one instanceof Date ? one.toISOString() : String(one))]);
  });
  return ['tablewright', ...words.map(shellWord), ...given].join(' ');
}
