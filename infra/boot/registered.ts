import type { RegisterResourceRequest } from '@pulumi/pulumi/proto/resource_pb.js';

export type Inputs = Readonly<Record<string, unknown>>;

/** A resource as a program registers it: what it asks for, and the options that the engine obeys. */
export interface Registered {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  readonly inputs: Inputs;
  /** Dotted paths of the inputs that are secrets. */
  readonly secrets: readonly string[];
  readonly options: {
    /** `type::name` of the parent. */
    readonly parent: string;
    readonly protect: boolean;
    readonly ignoreChanges: readonly string[];
    /** `type::name` of every explicit and implied dependency. */
    readonly dependsOn: readonly string[];
    /** The URNs that the resource had before, those that it inherits included. */
    readonly aliases: readonly string[];
    /** `type::name` of a provider that was given; empty for the one that Pulumi has by itself. */
    readonly provider: string;
    readonly retainOnDelete: boolean;
    readonly deleteBeforeReplace: boolean;
    readonly version: string;
  };
}

/** Marks that Pulumi puts around special values on the wire (`runtime/rpc.js`). */
const signatureKey = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';

export function fromRequest(request: RegisterResourceRequest, urn: string): Registered {
  const secrets: string[] = [];
  return {
    urn,
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    inputs: unwrap(request.getObject()?.toJavaScript() ?? {}, '', secrets) as Inputs,
    secrets,
    options: {
      parent: shortUrn(request.getParent()),
      protect: request.getProtect() ?? false,
      ignoreChanges: request.getIgnorechangesList(),
      dependsOn: request.getDependenciesList().map(shortUrn),
      aliases: request.getAliasurnsList(),
      provider: shortUrn(request.getProvider()),
      retainOnDelete: request.getRetainondelete() ?? false,
      deleteBeforeReplace: request.getDeletebeforereplace(),
      version: request.getVersion(),
    },
  };
}

function unwrap(value: unknown, path: string, secrets: string[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => unwrap(item, `${path}[${at}]`, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const entries = value as Readonly<Record<string, unknown>>;
  if (entries[signatureKey] === secretSignature) {
    secrets.push(path);
    return unwrap(entries.value, path, secrets);
  }
  return Object.fromEntries(
    Object.entries(entries).map(([name, inner]) => [name, unwrap(inner, path === '' ? name : `${path}.${name}`, secrets)]),
  );
}

/** `urn:pulumi:dev::tablewright::a$b::name` as `b::name`. */
export function shortUrn(urn: string): string {
  const [, , types = '', name = ''] = urn.split('::');
  return urn === '' ? '' : `${types.split('$').at(-1)}::${name}`;
}
