import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localCredentials } from '../../../engine/aws/clients.ts';
import { dynoxideStatement } from '../../../engine/local/dynoxide-dialect.ts';
import type { DeployedAccess } from './access.ts';
import type { Ask, Json } from './ask.ts';
import { Decisions, type Holding, principal } from './decide.ts';
import { dynamodbAsks } from './dynamodb-asks.ts';
import { cloudwatchAsks, lambdaAsks, logsAsks, scalingAsks, statesAsks } from './other-asks.ts';
import { s3Asks } from './s3-asks.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A question and its answer. */
export interface Decided extends Ask {
  readonly holding: Holding;
  readonly operation: string;
  readonly allowed: boolean;
}

export interface FrontOptions {
  readonly access: DeployedAccess;
  /** Where requests go that are allowed: DynamoDB and CloudWatch Logs, S3, Step Functions. */
  readonly dynamodb: string;
  readonly s3: string;
  readonly stepFunctions: string;
}

interface Incoming {
  readonly service: string;
  readonly operation: string;
  readonly body: Buffer;
  readonly request: IncomingMessage;
}

/**
 * AWS's gate on this machine: a request is let through to the servers behind it if the policies that its caller holds allow all
 * that it asks for, and refused as AWS refuses it otherwise. What the policies are, the stack's own program says.
 */
export class EnforcingFront {
  endpoint = '';
  /** Everything that was asked, in order. */
  readonly decided: Decided[] = [];
  /** What CloudWatch says of the stack's alarms. */
  readonly alarms = new Map<string, 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'>();
  /** Lambda's event source mappings. */
  readonly listeners: Json[] = [];
  /** What Application Auto Scaling has: targets, and the policies that move them. */
  readonly scaling: { readonly targets: Json[]; readonly policies: Json[] } = { targets: [], policies: [] };
  readonly #options: FrontOptions;
  readonly #decisions: Decisions;
  readonly #callers = new Map<string, Holding>();
  readonly #http = createServer((request, response) => void this.#serve(request, response));

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#decisions = new Decisions(options.access);
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    this.endpoint = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** Credentials of a caller that holds these policies and no others. */
  credentials(holding: Holding): Credentials {
    const accessKeyId = `AKIA${Buffer.from(holding.join(' ')).toString('hex').toUpperCase()}`;
    this.#callers.set(accessKeyId, holding);
    return { accessKeyId, secretAccessKey: 'secret' };
  }

  /** Nobody is refused: for tests of something else. */
  everything = false;

  allows(holding: Holding, asked: Ask): Promise<boolean> {
    return this.#decisions.allows(holding, asked);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const scope = /Credential=([^/]+)\/\d+\/[\w-]+\/([\w-]+)\//.exec(String(request.headers.authorization));
    const [, caller = '', service = ''] = scope ?? [];
    const operation = String(request.headers['x-amz-target'] ?? `${request.method} ${request.url}`).replace(/^\w+\./, '');
    const incoming = { service, operation, body: Buffer.concat(chunks), request };
    try {
      await this.#answer(incoming, this.#callers.get(caller), response);
    } catch (error) {
      // Not an answer of AWS's: a test that gets here has found a gap in the front.
      response
        .writeHead(500, { 'content-type': 'application/x-amz-json-1.0' })
        .end(JSON.stringify({ __type: 'GapInTheFront', message: (error as Error).message }));
    }
  }

  async #answer(incoming: Incoming, holding: Holding | undefined, response: ServerResponse): Promise<void> {
    if (holding === undefined) throw new Error('a request with credentials that the front did not give out');
    if (incoming.service === 'sts') return answerIdentity(this.#options.access.account, response);
    const denied = await this.#firstDenied(incoming, holding);
    if (denied !== undefined) return refuse(incoming.service, this.#options.access.account, denied, response);
    if (incoming.service === 'monitoring') return this.#tellAlarms(incoming, response);
    if (incoming.service === 'lambda') return answerJson({ EventSourceMappings: this.listeners }, response);
    if (incoming.service === 'application-autoscaling') return answerJson(this.#scaled(incoming), response);
    if (incoming.operation === 'ListContributorInsights') return answerJson({ ContributorInsightsSummaries: [] }, response);
    await this.#forward(incoming, response);
  }

  #scaled({ operation, body }: Incoming): object {
    const { ResourceIds = [], ResourceId } = JSON.parse(body.toString()) as Json & { readonly ResourceIds?: readonly unknown[] };
    const { targets, policies } = this.scaling;
    return operation === 'DescribeScalableTargets'
      ? { ScalableTargets: targets.filter((one) => ResourceIds.includes(one.ResourceId)) }
      : { ScalingPolicies: policies.filter((one) => one.ResourceId === ResourceId) };
  }

  #tellAlarms({ body }: Incoming, response: ServerResponse): void {
    const { AlarmNames = [...this.alarms.keys()] } = JSON.parse(body.toString()) as { readonly AlarmNames?: readonly string[] };
    const known = AlarmNames.filter((name) => this.alarms.has(name));
    const MetricAlarms = known.map((AlarmName) => ({ AlarmName, StateValue: this.alarms.get(AlarmName) }));
    answerJson({ MetricAlarms, CompositeAlarms: [] }, response);
  }

  async #firstDenied({ service, operation, body, request }: Incoming, holding: Holding): Promise<Ask | undefined> {
    const { access } = this.#options;
    for (const asked of asksOf(access, service, operation, body, request)) {
      const allowed = this.everything || (await this.#decisions.allows(holding, asked));
      this.decided.push({ ...asked, holding, operation, allowed });
      if (!allowed) return asked;
    }
    return undefined;
  }

  async #forward({ service, body, request }: Incoming, response: ServerResponse): Promise<void> {
    const { s3, stepFunctions, dynamodb } = this.#options;
    const target = { s3, states: stepFunctions }[service] ?? dynamodb;
    const { host: _, ...headers } = request.headers;
    // The embedded servers know one caller.
    const authorization = String(headers.authorization).replace(/Credential=[^/]+/, `Credential=${localCredentials.accessKeyId}`);
    const { 'content-length': __, ...rest } = headers;
    const sent = service === 'dynamodb' ? inDialect(body) : body;
    await new Promise<void>((resolve, reject) => {
      const passed = httpRequest(
        new URL(request.url ?? '/', target),
        { method: request.method, headers: { ...rest, authorization, 'content-length': sent.length } },
        (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response).on('finish', resolve).on('error', reject);
        },
      );
      passed.on('error', reject);
      passed.end(sent);
    });
  }
}

/** The embedded engine has its own words for some statements; to AWS a command speaks as AWS does. */
function inDialect(body: Buffer): Buffer {
  const translate = (name: string, value: unknown) =>
    name === 'Statement' && typeof value === 'string' ? dynoxideStatement(value) : value;
  return body.includes('"Statement"') ? Buffer.from(JSON.stringify(JSON.parse(body.toString(), translate))) : body;
}

function asksOf(
  access: DeployedAccess,
  service: string,
  operation: string,
  body: Buffer,
  { method = '', url = '', headers }: IncomingMessage,
): readonly Ask[] {
  if (service === 'dynamodb') return dynamodbAsks(access, operation, JSON.parse(body.toString()) as Json);
  if (service === 's3') return s3Asks(access, { method, url, headers, body: body.toString() });
  if (service === 'logs') return logsAsks(access, operation, JSON.parse(body.toString()) as Json);
  if (service === 'monitoring') return cloudwatchAsks(access, operation, JSON.parse(body.toString()) as Json);
  if (service === 'states') return statesAsks(operation, JSON.parse(body.toString()) as Json);
  if (service === 'lambda') return lambdaAsks(operation);
  if (service === 'application-autoscaling') return scalingAsks(operation);
  throw new Error(`the front does not know the service ${service}`);
}

function answerJson(answer: object, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
}

/** STS tells every caller who it is; no policy can forbid it (STS API reference, GetCallerIdentity). */
function answerIdentity(account: string, response: ServerResponse): void {
  const result = `<Account>${account}</Account><Arn>${principal(account)}</Arn><UserId>AROAUNDERTEST</UserId>`;
  response
    .writeHead(200, { 'content-type': 'text/xml' })
    .end(
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
    );
}

/** JSON services answer with 400 and the exception's name, S3 with 403 and XML. */
function refuse(service: string, account: string, { action, resource }: Ask, response: ServerResponse): void {
  const why = `because no identity-based policy allows the ${action} action`;
  const message = `User: ${principal(account)} is not authorized to perform: ${action} on resource: ${resource} ${why}`;
  if (service === 's3') {
    response
      .writeHead(403, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`);
    return;
  }
  const type = 'com.amazon.coral.service#AccessDeniedException';
  response
    .writeHead(400, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': type })
    .end(JSON.stringify({ __type: type, Message: message }));
}
