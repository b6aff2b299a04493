import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { learnTemplate, type RequestTemplate } from './request-template.ts';
import type { Signatory } from './sign.ts';
import type { WireInput, WireOperation } from './wire.ts';

/** Learnt anew after this long: what the SDK resolves (an endpoint, a profile) may change under a run of hours. */
const templateLifeMs = 60_000;

/**
 * Everything that takes part in a request of a client of `clients.ts`. What any other middleware does to requests the direct
 * way would leave out, so clients that have one use the SDK.
 */
const knownMiddleware: ReadonlySet<string> = new Set([
  'serializerMiddleware',
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
  'retryMiddleware',
  'httpSigningMiddleware',
  'deserializerMiddleware',
  'noteAnswers',
  'refuseForeignAnswers',
  'listenForProto',
  'restoreProto',
  'serverSignature',
  'dynoxideDialect',
]);

export interface ShelfTemplate extends RequestTemplate {
  /** Signatures are dated by the server's clock, as far as it is known. */
  readonly setsClock: boolean;
}

interface Learnt {
  readonly signatory: Signatory;
  readonly template: ShelfTemplate | undefined;
  readonly untilMs: number;
}

/** A client's templates, for as long as they hold: until its credentials are others, or they are old. */
export class TemplateShelf {
  readonly #client: DynamoDBClient;
  readonly #learnt = new Map<WireOperation, Learnt>();
  #isDirect: Promise<boolean> | undefined;

  constructor(client: DynamoDBClient) {
    this.#client = client;
  }

  /** Undefined when the SDK has to send the request. */
  async of<O extends WireOperation>(operation: O, input: WireInput<O>): Promise<ShelfTemplate | undefined> {
    this.#isDirect ??= isDirect(this.#client);
    if (!(await this.#isDirect) || namesArns(input as object)) return undefined;
    const signatory = await this.#client.config.credentials();
    const known = this.#learnt.get(operation);
    if (known !== undefined && known.untilMs > performance.now() && isSame(known.signatory, signatory)) return known.template;
    const template = await this.#learn(operation, signatory);
    this.#learnt.set(operation, { signatory, template, untilMs: performance.now() + templateLifeMs });
    return template;
  }

  async #learn(operation: WireOperation, signatory: Signatory): Promise<ShelfTemplate | undefined> {
    const template = await learnTemplate(this.#client, operation, signatory);
    if (template === undefined) return undefined;
    const { disableClockSkewCorrection } = this.#client.config;
    return { ...template, setsClock: (await disableClockSkewCorrection?.()) !== true };
  }
}

/** Repetitions are the SDK's work where it is to make any. */
async function isDirect({ config, middlewareStack }: DynamoDBClient): Promise<boolean> {
  const names = middlewareStack.identify().map((line) => line.split(' ')[0] ?? '');
  return names.every((name) => knownMiddleware.has(name)) && (await config.maxAttempts()) === 1;
}

function isSame(a: Signatory, b: Signatory): boolean {
  if (a === b) return true;
  return a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey && a.sessionToken === b.sessionToken;
}

interface Named {
  readonly TableName?: string;
}

/** A table named by its ARN may have an address of its own. */
function namesArns(input: Named & { readonly RequestItems?: object; readonly TransactItems?: readonly object[] }): boolean {
  if (input.TableName !== undefined) return isArn(input.TableName);
  for (const name in input.RequestItems) if (isArn(name)) return true;
  return input.TransactItems?.some((entry) => Object.values(entry).some((action: Named) => isArn(action.TableName))) ?? false;
}

function isArn(name = ''): boolean {
  return name.startsWith('arn:');
}
