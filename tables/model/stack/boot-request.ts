/*
 * What the command line asks of a boot of the project's Pulumi program, and what it hears. Both sides know it from here: they
 * never import each other.
 */

export interface BootRequest {
  /** The project's folder. */
  readonly root: string;
  /** The program, as Pulumi.yaml names it. */
  readonly main: string;
  readonly project: string;
  readonly stack: string;
  /** What Node is given before the program. */
  readonly nodeArguments: readonly string[];
  readonly region: string;
  readonly account: string;
  /** The stack's settings as Pulumi hands them over: text, and JSON for what has parts. */
  readonly config: Readonly<Record<string, string>>;
}

/** A resource as the program registers it. */
export interface ListedResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  /** The URN of its parent; empty for the stack itself. */
  readonly parent: string;
  /** Those of its inputs that say which thing of AWS it is. */
  readonly identity: Readonly<Partial<Record<IdentifyingInput, string>>>;
}

/** Inputs that name a thing of AWS, of every kind that can be adopted; a boot tells no others, for they may be secrets. */
export const identifyingInputs = ['name', 'tableName', 'indexName', 'resourceId', 'scalableDimension'] as const;

type IdentifyingInput = (typeof identifyingInputs)[number];

export interface BootAnswer {
  readonly resources: readonly ListedResource[];
  /** What the program said when it failed. */
  readonly failure?: string;
}

/** Programs may print, too: the answer is the line that begins like this. */
const mark = 'tablewright-boot ';

export function bootAnswer(answer: BootAnswer): string {
  return mark + JSON.stringify(answer);
}

export function readBootAnswer(printed: string): BootAnswer | undefined {
  const line = printed.split('\n').findLast((one) => one.startsWith(mark));
  return line === undefined ? undefined : (JSON.parse(line.slice(mark.length)) as BootAnswer);
}
