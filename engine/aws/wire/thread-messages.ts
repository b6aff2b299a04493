import type { IncomingHttpHeaders } from 'node:http';
import type { RequestTemplate } from './request-template.ts';
import type { Signatory, SigningScope } from './sign.ts';

/** A template as it goes to a thread, which makes a signer of its own. */
export type PostedTemplate = Omit<RequestTemplate, 'signer'> & {
  readonly signatory: Signatory;
  readonly scope: SigningScope;
};

/** What a thread is told. */
export type ThreadOrder =
  | { readonly kind: 'template'; readonly template: number; readonly posted: PostedTemplate }
  | { readonly kind: 'send'; readonly id: number; readonly template: number; readonly body: Uint8Array; readonly dateMs: number }
  | { readonly kind: 'abort'; readonly id: number };

/** What a thread says. An error comes with its own members: there is one table of what errors mean, and it looks at them. */
export type Reply =
  | {
      readonly id: number;
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** One character a byte: a view of bytes would be copied with all of the memory that it is a part of. */
      readonly body: string;
    }
  | {
      readonly id: number;
      readonly message: string;
      readonly members: Readonly<Record<string, string | number | boolean | Uint8Array>>;
    };

/** What a thread begins with. */
export interface ThreadSettings {
  readonly maxSockets: number;
  readonly connectionTimeoutMs: number;
  readonly idleTimeoutMs: number;
}
