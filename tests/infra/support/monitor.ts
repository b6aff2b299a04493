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
import { answer, createdState } from './fake-aws.ts';
import { fromRequest, type Registered } from './registered.ts';

export interface LogLine {
  readonly severity: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
}

/** What a program told the engine while it ran. */
export interface Recording {
  readonly resources: Registered[];
  readonly logs: LogLine[];
  readonly invokes: string[];
  outputs: Readonly<Record<string, unknown>>;
}

export interface Monitor {
  readonly address: string;
  readonly recording: Recording;
  close(): void;
}

type Call<Request> = grpc.ServerUnaryCall<Request, unknown>;
type Reply<Response> = grpc.sendUnaryData<Response>;

/** The two services that a Pulumi program talks to, on a free loopback port: enough of them to run a whole program. */
export async function startMonitor(): Promise<Monitor> {
  const recording: Recording = { resources: [], logs: [], invokes: [], outputs: {} };
  const server = new grpc.Server();
  server.addService(resourceRpc.ResourceMonitorService, monitorCalls(recording));
  server.addService(engineRpc.EngineService, engineCalls(recording));
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, chosen: number) => (error === null ? resolve(chosen) : reject(error));
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), bound);
  });
  return { address: `127.0.0.1:${port}`, recording, close: () => server.forceShutdown() };
}

function monitorCalls(recording: Recording): grpc.UntypedServiceImplementation {
  return {
    supportsFeature: ({ request }: Call<SupportsFeatureRequest>, reply: Reply<unknown>) => {
      const response = new resource.SupportsFeatureResponse();
      // Output values would hide plain inputs behind wrappers; this monitor wants to read them.
      response.setHassupport(request.getId() !== 'outputValues' && request.getId() !== 'transforms');
      reply(null, response);
    },
    registerResource: ({ request }: Call<RegisterResourceRequest>, reply: Reply<unknown>) => {
      const urn = `urn:pulumi:test::tablewright::${request.getType()}::${request.getName()}`;
      const registered = fromRequest(request, urn);
      recording.resources.push(registered);
      const { id, state } = createdState(registered.type, registered.name, registered.inputs);
      const response = new resource.RegisterResourceResponse();
      response.setUrn(urn);
      if (registered.custom) response.setId(id);
      response.setObject(struct.Struct.fromJavaScript(state as Record<string, struct.JavaScriptValue>));
      reply(null, response);
    },
    registerResourceOutputs: ({ request }: Call<RegisterResourceOutputsRequest>, reply: Reply<unknown>) => {
      if (request.getUrn().includes('pulumi:pulumi:Stack')) recording.outputs = request.getOutputs()?.toJavaScript() ?? {};
      reply(null, new empty.Empty());
    },
    invoke: ({ request }: Call<ResourceInvokeRequest>, reply: Reply<unknown>) => {
      recording.invokes.push(request.getTok());
      const found = answer(request.getTok());
      if (found === undefined) return reply({ code: grpc.status.UNIMPLEMENTED, message: `no answer to ${request.getTok()}` });
      const response = new provider.InvokeResponse();
      response.setReturn(struct.Struct.fromJavaScript(found as Record<string, struct.JavaScriptValue>));
      reply(null, response);
    },
    signalAndWaitForShutdown: (_: unknown, reply: Reply<unknown>) => reply(null, new empty.Empty()),
  };
}

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
