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
    run(): Promise<unknown>;
  }
}
