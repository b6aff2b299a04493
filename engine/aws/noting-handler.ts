import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { SdkFailure } from './store/store-error.ts';

type Handle = NodeHttpHandler['handle'];

/** An HTTP handler whose errors say which server they are of, and how long that kept silent. */
export class NotingHandler extends NodeHttpHandler {
  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    const { protocol, hostname, port } = request;
    const server = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
    const startedMs = performance.now();
    const note = (error: SdkFailure): void => {
      error.server = server;
      error.waitedMs = performance.now() - startedMs;
    };
    try {
      const answer = await super.handle(request, options);
      // A body that stops in the middle fails here, after its head has come.
      answer.response.body?.on?.('error', note);
      return answer;
    } catch (error) {
      if (error instanceof Error) note(error);
      throw error;
    }
  }
}
