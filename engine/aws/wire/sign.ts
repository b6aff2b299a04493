import { createHmac, hash } from 'node:crypto';

/** Whose signature it is. */
export interface Signatory {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where a signature holds. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

/** Headers by their names in lower case, as `canonicalHeader` gives them. */
export type SignedHeaders = Readonly<Record<string, string>>;

export interface Signable {
  /** As `canonicalPath` gives it. */
  readonly path: string;
  /** The names of the headers that are signed, in their order. */
  readonly names: readonly string[];
  /** The headers that all requests have. */
  readonly shared: SignedHeaders;
}

/** The headers of one request; its date and its hash are signed also where they are not named. */
export interface OwnHeaders extends SignedHeaders {
  /** See `signingDate`. */
  readonly 'x-amz-date': string;
  /** See `payloadHash`. */
  readonly 'x-amz-content-sha256': string;
}

export const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Signature Version 4 of a POST without a query (IAM User Guide, "Create a signed AWS API request"), as
 * `@smithy/signature-v4` makes it. The key that it needs holds for a day and is derived once.
 */
export class Signer {
  readonly #signatory: Signatory;
  readonly #scope: SigningScope;
  #day = '';
  #key: Buffer = Buffer.of();

  constructor(signatory: Signatory, scope: SigningScope) {
    this.#signatory = signatory;
    this.#scope = scope;
  }

  /** The `authorization` header. */
  authorize({ path, names, shared }: Signable, own: OwnHeaders): string {
    const date = own['x-amz-date'];
    const day = date.slice(0, 8);
    const signed = names.join(';');
    let canonical = `POST\n${path}\n\n`;
    for (const name of names) canonical += `${name}:${own[name] ?? shared[name]}\n`;
    canonical += `\n${signed}\n${own['x-amz-content-sha256']}`;
    const scope = `${day}/${this.#scope.region}/${this.#scope.service}/aws4_request`;
    const signature = createHmac('sha256', this.#keyOf(day))
      .update(`${algorithm}\n${date}\n${scope}\n${hash('sha256', canonical, 'hex')}`)
      .digest('hex');
    return `${algorithm} Credential=${this.#signatory.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  }

  #keyOf(day: string): Buffer {
    if (day !== this.#day) {
      const parts = [day, this.#scope.region, this.#scope.service, 'aws4_request'];
      const secret = Buffer.from(`AWS4${this.#signatory.secretAccessKey}`);
      this.#key = parts.reduce((key, part) => createHmac('sha256', key).update(part).digest(), secret);
      this.#day = day;
    }
    return this.#key;
  }
}

export function payloadHash(body: Uint8Array | string): string {
  return hash('sha256', body, 'hex');
}

let last = { second: Number.NaN, date: '' };

/** `20260131T235959Z`. Many requests are made in a second: its date is kept. */
export function signingDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (second !== last.second) {
    last = { second, date: `${new Date(second * 1_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z` };
  }
  return last.date;
}

/** A header's value as it is signed: without spaces around it, and with one in place of several. */
export function canonicalHeader(value: string): string {
  return value
    .replaceAll(/[\r\n]/g, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/^ | $/g, '');
}

/** A path as it is signed: without empty parts and dots, escaped once more. */
export function canonicalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const end = parts.length > 0 && path.endsWith('/') ? '/' : '';
  return `${path.startsWith('/') ? '/' : ''}${parts.map(escapedPart).join('/')}${end}`;
}

function escapedPart(part: string): string {
  return encodeURIComponent(part).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
