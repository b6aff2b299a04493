import { TablewrightError } from '../../tables/model/error.ts';

/** The address of a server, and who said so. */
export interface Endpoint {
  readonly url: string;
  /** `--endpoint`, or the environment's variable. */
  readonly source: string;
}

export interface Endpoints {
  readonly dynamodb: Endpoint | undefined;
  readonly s3: Endpoint | undefined;
}

/**
 * The servers to use instead of AWS or the engines on this machine. What the SDKs read from the environment (AWS SDKs and
 * Tools Reference Guide, "Service-specific endpoints") does the same as `--endpoint`; the option comes first, then the
 * service's own variable. An engine that was asked for by name is not put aside by the environment.
 */
export function findEndpoints(
  given: { readonly endpoint?: string | undefined; readonly engine?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): Endpoints {
  const ignored = environment.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS?.toLowerCase() === 'true';
  const fromEnvironment = (service: string): Endpoint | undefined => {
    const names = ignored ? [] : [`AWS_ENDPOINT_URL_${service}`, 'AWS_ENDPOINT_URL'];
    const source = names.find((name) => (environment[name] ?? '') !== '');
    return source === undefined ? undefined : checked({ url: environment[source] ?? '', source });
  };
  const option = given.endpoint === undefined ? undefined : checked({ url: given.endpoint, source: '--endpoint' });
  const dynamodb = option ?? (given.engine === undefined ? fromEnvironment('DYNAMODB') : undefined);
  return { dynamodb, s3: fromEnvironment('S3') };
}

function checked(endpoint: Endpoint): Endpoint {
  const { url, source } = endpoint;
  if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url)) return endpoint;
  throw new TablewrightError(
    'BAD_ARGUMENT',
    `${source}: expected a URL such as http://127.0.0.1:8000, found ${url || 'nothing'}`,
    {
      next: "Give the server's address; 'tablewright up --keep' prints that of the local one.",
    },
  );
}
