import * as grpc from '@grpc/grpc-js';
import engineRpc from '@pulumi/pulumi/proto/engine_grpc_pb.js';
import engine, { type LogRequest } from '@pulumi/pulumi/proto/engine_pb.js';
import provider from '@pulumi/pulumi/proto/provider_pb.js';
import resourceRpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resource, {
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
  type ResourceInvokeRequest,
  type SupportsFeatureRequest,
} from '@pulumi/pulumi/proto/resource_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import struct from 'google-protobuf/google/protobuf/struct_pb.js';
import { fromRequest, type Inputs, type Registered } from './registered.ts';

export interface LogLine {
  readonly severity: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
}

/** What a program told the engine while it ran. */
export interface Recording {
  readonly resources: Registered[];
  /** The URN of what each resource belongs to, by its own. */
  readonly parents: Map<string, string>;
  readonly logs: LogLine[];
  readonly invokes: string[];
  outputs: Readonly<Record<string, unknown>>;
}

/** What stands in for AWS while a program runs. */
export interface StandIn {
  /** What AWS would answer to a question; undefined when the program has no business asking it. */
  answer(token: string): Inputs | undefined;
  /** What AWS would answer for a created resource. */
  created(type: string, name: string, inputs: Inputs): { readonly id: string; readonly state: Inputs };
}

/** What a URN begins with. */
export interface UrnStart {
  readonly project: string;
  readonly stack: string;
}

export interface Monitor {
  readonly address: string;
  readonly recording: Recording;
  close(): void;
}

type Call<Request> = grpc.ServerUnaryCall<Request, unknown>;
type Reply<Response> = grpc.sendUnaryData<Response>;

/** The two services that a Pulumi program talks to, on a free loopback port: enough of them to run a whole program. */
export async function startMonitor(standIn: StandIn, start: UrnStart): Promise<Monitor> {
  const recording: Recording = { resources: [], parents: new Map(), logs: [], invokes: [], outputs: {} };
  const server = new grpc.Server();
  server.addService(resourceRpc.ResourceMonitorService, monitorCalls(recording, standIn, start));
  server.addService(engineRpc.EngineService, engineCalls(recording));
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, chosen: number) => (error === null ? resolve(chosen) : reject(error));
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), bound);
  });
  return { address: `127.0.0.1:${port}`, recording, close: () => server.forceShutdown() };
}

/**
 * Output values would hide plain inputs behind wrappers, which this monitor wants to read. Specifications of aliases are for an engine
 * that works out what follows from them; without, Pulumi's SDK does and says the URNs.
 */
const unsupported = ['outputValues', 'transforms', 'aliasSpecs'];

function monitorCalls(recording: Recording, standIn: StandIn, start: UrnStart): grpc.UntypedServiceImplementation {
  return {
    supportsFeature: ({ request }: Call<SupportsFeatureRequest>, reply: Reply<unknown>) => {
      const response = new resource.SupportsFeatureResponse();
      response.setHassupport(!unsupported.includes(request.getId()));
      reply(null, response);
    },
    registerResource: ({ request }: Call<RegisterResourceRequest>, reply: Reply<unknown>) => {
      const urn = urnOf(start, request.getParent(), request.getType(), request.getName());
      const registered = fromRequest(request, urn);
      recording.resources.push(registered);
      recording.parents.set(urn, request.getParent());
      const { id, state } = standIn.created(registered.type, registered.name, registered.inputs);
      const response = new resource.RegisterResourceResponse();
      response.setUrn(urn);
      if (registered.custom) response.setId(id);
      response.setObject(struct.Struct.fromJavaScript(state as Record<string, struct.JavaScriptValue>));
      reply(null, response);
    },
    registerResourceOutputs: ({ request }: Call<RegisterResourceOutputsRequest>, reply: Reply<unknown>) => {
      if (request.getUrn().includes(`::${stackType}::`)) recording.outputs = request.getOutputs()?.toJavaScript() ?? {};
      reply(null, new empty.Empty());
    },
    invoke: ({ request }: Call<ResourceInvokeRequest>, reply: Reply<unknown>) => {
      recording.invokes.push(request.getTok());
      const found = standIn.answer(request.getTok());
      if (found === undefined) return reply({ code: grpc.status.UNIMPLEMENTED, message: `no answer to ${request.getTok()}` });
      const response = new provider.InvokeResponse();
      response.setReturn(struct.Struct.fromJavaScript(found as Record<string, struct.JavaScriptValue>));
      reply(null, response);
    },
    signalAndWaitForShutdown: (_: unknown, reply: Reply<unknown>) => reply(null, new empty.Empty()),
  };
}

/** As Pulumi's engine makes it: the types of what is above, but for the stack itself, then the own type and name. */
function urnOf({ stack, project }: UrnStart, parent: string, type: string, name: string): string {
  const above = parent.split('::')[2] ?? '';
  const types = above === '' || above === stackType ? type : `${above}$${type}`;
  return `urn:pulumi:${stack}::${project}::${types}::${name}`;
}

const stackType = 'pulumi:pulumi:Stack';

function engineCalls(recording: Recording): grpc.UntypedServiceImplementation {
  const severities = ['debug', 'info', 'warning', 'error'] as const;
  let root = '';
  return {
    log: ({ request }: Call<LogRequest>, reply: Reply<unknown>) => {
      recording.logs.push({ severity: severities[request.getSeverity()] ?? 'error', message: request.getMessage() });
      reply(null, new empty.Empty());
    },
    setRootResource: ({ request }: Call<InstanceType<typeof engine.SetRootResourceRequest>>, reply: Reply<unknown>) => {
      root = request.getUrn();
      reply(null, new engine.SetRootResourceResponse());
    },
    getRootResource: (_: unknown, reply: Reply<unknown>) => {
      const response = new engine.GetRootResourceResponse();
      response.setUrn(root);
      reply(null, response);
    },
  };
}
