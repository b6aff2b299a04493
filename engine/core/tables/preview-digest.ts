export type Values = Readonly<Record<string, unknown>>;

export interface State {
  readonly type?: string;
  readonly inputs?: Values;
}

/** A step of `pulumi preview --json`. */
export interface PreviewStep {
  readonly op: string;
  readonly urn: string;
  readonly oldState?: State;
  readonly newState?: State;
  /** The members that make a resource change, where Pulumi names them. */
  readonly diffReasons?: readonly string[];
  readonly replaceReasons?: readonly string[];
}

/** What `pulumi preview --json` prints; members without content are left out (Pulumi's `PreviewDigest`). */
export interface Preview {
  readonly steps?: readonly PreviewStep[];
  readonly diagnostics?: readonly { readonly severity?: string; readonly message?: string }[];
  readonly changeSummary?: Readonly<Record<string, number>>;
}

/** Operations that change nothing. */
const nothing = ['same', 'read', 'refresh'];

export const isChange = (op: string): boolean => !nothing.includes(op);

/**
 * What is wrong with it as a preview; undefined if nothing is. Pulumi has further forms of JSON that look alike and leave out what
 * changes: counts alone (`--output json`), steps without states (`pulumi events summary`). None of them shows that nothing is lost.
 */
export function digestProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'something else';
  const { steps, changeSummary, diagnostics } = value;
  if (!Array.isArray(steps) && !isObject(changeSummary) && !Array.isArray(diagnostics)) return 'something else';
  const listed: readonly unknown[] = Array.isArray(steps) ? steps : [];
  if (!listed.every(isStep)) return 'steps without op and urn';
  const changing = listed.filter(({ op }) => isChange(op));
  const counted = Object.entries(isObject(changeSummary) ? changeSummary : {}).filter(
    ([op, count]) => isChange(op) && count !== 0,
  );
  if (counted.length > 0 && changing.length === 0) {
    return `counts of changes (${counted.map(([op, count]) => `${op} ${String(count)}`).join(', ')}) without the steps`;
  }
  const bare = changing.filter((step) => !hasStates(step)).map(({ op, urn }) => `${op} of ${urn.split('::').at(-1)}`);
  return bare.length === 0 ? undefined : `steps without what is there and what becomes of it: ${bare.slice(0, 5).join(', ')}`;
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

const isStep = (step: unknown): step is PreviewStep =>
  isObject(step) && typeof step.op === 'string' && typeof step.urn === 'string';

/** What a change begins with and ends with, as far as it is of that kind. */
function hasStates({ op, oldState, newState }: PreviewStep): boolean {
  if (op === 'update' || op === 'replace') return isObject(oldState) && isObject(newState);
  return op === 'create' || op === 'import' ? isObject(newState) : isObject(oldState) || isObject(newState);
}

/** Of which stacks it is. */
export function stacksIn({ steps = [] }: Preview): readonly string[] {
  return [...new Set(steps.flatMap(({ urn }) => /^urn:pulumi:([^:]+)::/.exec(urn)?.[1] ?? []))];
}

/**
 * What stopped it: then its steps are not all. What a program prints to its error stream (`info#err`) is no failure by itself, but all
 * that there is of one that ended before Pulumi could count. Pulumi's marks of colour are left out.
 */
export function failuresIn({ diagnostics = [], changeSummary }: Preview): readonly string[] {
  const of = (wanted: string) =>
    diagnostics
      .filter(({ severity }) => severity === wanted)
      .map(({ message = '' }) => message.replaceAll(/<\{%[^%]*%\}>/g, '').trim());
  const errors = of('error');
  return errors.length > 0 || changeSummary !== undefined ? errors : of('info#err');
}
