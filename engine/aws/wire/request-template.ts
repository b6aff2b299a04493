import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Target } from './exchange.ts';
import { commandOf } from './sdk-wire.ts';
import {
  algorithm,
  canonicalHeader,
  canonicalPath,
  payloadHash,
  type Signable,
  type Signatory,
  Signer,
  type SigningScope,
} from './sign.ts';
import type { WireOperation } from './wire.ts';

/** What the requests of one operation have in common, as the SDK makes them. */
export interface RequestTemplate {
  readonly target: Target;
  readonly signer: Signer;
  /** What the signer was made of. */
  readonly signatory: Signatory;
  readonly scope: SigningScope;
  readonly signable: Signable;
  /** Headers that do not change, names and values by turns. */
  readonly headers: readonly string[];
}

/** As the SDK has made it, signed and all. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly username?: string;
  readonly fragment?: string;
  readonly body: Uint8Array | string;
}

/** A request's own, given anew each time. */
const changing: ReadonlySet<string> = new Set(['content-length', 'x-amz-date', 'x-amz-content-sha256', 'authorization']);
/** They tell of the SDK's own repetitions, and of the call of a function that they were made in. */
const dropped = /^(amz-sdk-|x-amzn-trace-id$|traceparent$|tracestate$|baggage$)/;

/**
 * What the SDK would send for this operation, learnt by letting it make such a request and stopping short of sending it: the
 * address by its rules (region, FIPS, dual stack, account, a given endpoint), its headers, its way of signing. Undefined
 * where a request cannot be made in its likeness: when our signature of that very request is not the SDK's.
 */
export async function learnTemplate(
  client: DynamoDBClient,
  operation: WireOperation,
  signatory: Signatory,
): Promise<RequestTemplate | undefined> {
  const request = await unsent(client, operation);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const [, region, service, list] =
    new RegExp(`^${algorithm} Credential=[^/]+/\\d{8}/([^/]+)/([^/]+)/aws4_request, SignedHeaders=([^,]+),`).exec(
      headers.authorization ?? '',
    ) ?? [];
  if (region === undefined || service === undefined || list === undefined || !isPlain(request)) return undefined;
  const scope = { region, service };
  const signer = new Signer(signatory, scope);
  const path = canonicalPath(request.path);
  const names = list.split(';');
  const shared = Object.fromEntries(names.map((name) => [name, canonicalHeader(headers[name] ?? '')]));
  const own = { 'x-amz-date': headers['x-amz-date'] ?? '', 'x-amz-content-sha256': payloadHash(request.body) };
  if (signer.authorize({ path, names, shared }, own) !== headers.authorization) return undefined;
  const { protocol, hostname, port } = request;
  return {
    target: { protocol, hostname, port, path: request.path },
    signer,
    signatory,
    scope,
    signable: { path, names: names.filter((name) => !dropped.test(name)), shared },
    headers: Object.entries(headers)
      .filter(([name]) => !changing.has(name) && !dropped.test(name))
      .flat(),
  };
}

/** Only what `Exchange` sends: a POST over HTTP, without a query or a name in its address. */
function isPlain({ method, protocol, query = {}, username, fragment }: SdkRequest): boolean {
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return method === 'POST' && isHttp && Object.keys(query).length === 0 && username == null && fragment == null;
}

async function unsent(client: DynamoDBClient, operation: WireOperation): Promise<SdkRequest> {
  // Nothing of its input shows in a template; and without any, nobody on the way looks into it.
  const command = commandOf(operation, {});
  let made: SdkRequest | undefined;
  command.middlewareStack.add(
    () => async (args) => {
      made = args.request as SdkRequest;
      return { response: undefined, output: { $metadata: {} } };
    },
    // Behind the signing, before the sending.
    { step: 'finalizeRequest', priority: 'low', name: 'learnTemplate' },
  );
  await client.send(command, {});
  if (made === undefined) throw new TypeError('the request was not seen by its own middleware');
  return made;
}
