declare module '@20minutes/s3rver' {
  /** The parts of the embedded S3 server that are used here. */
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly directory: string | undefined;
      readonly silent: boolean;
      readonly allowMismatchedSignatures: boolean;
    });
    readonly store: Store & { listObjects: (bucket: string, options: object) => Promise<unknown> };
    /** Koa's own: who deals with a request, from the outside in; the router is the last. */
    readonly middleware: ((context: KoaContext, next: () => Promise<void>) => Promise<void>)[];
    run(): Promise<unknown>;
  }

  export interface Store {
    readonly constructor: { decodeKeyPath(path: string): string };
    getBucketPath(bucket: string): string;
    getMetadata(bucket: string, key: string): Promise<Readonly<Record<string, string>>>;
  }

  export interface KoaContext {
    readonly method: string;
    query: Readonly<Record<string, string>>;
    body?: {
      readonly ListBucketResult?: {
        readonly Marker?: string;
        readonly NextMarker?: string;
        readonly IsTruncated: boolean;
        readonly Contents: readonly { readonly Key: string; readonly Owner?: object }[];
        readonly CommonPrefixes: readonly object[];
      } & Readonly<Record<string, unknown>>;
    };
  }
}
