import { url as address } from './values.js';

/**
 * The address of a server, and who said so: `--endpoint` or a variable of the environment.
 * @typedef {{ readonly url: string, readonly source: string }} Endpoint
 */

/**
 * The servers to use instead of AWS or the engines on this machine. What the SDKs read from the environment (AWS SDKs and
 * Tools Reference Guide, "Service-specific endpoints") does the same as `--endpoint`; the option comes first, then the
 * service's own variable. An engine that was asked for by name is not put aside by the environment.
 * @param {{ readonly endpoint?: string | undefined, readonly engine?: string | undefined }} given
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function findEndpoints(given, env) {
  const ignored = env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS?.toLowerCase() === 'true';
  /** @param {string} service @returns {Endpoint | undefined} */
  const fromEnvironment = (service) => {
    const names = ignored ? [] : [`AWS_ENDPOINT_URL_${service}`, 'AWS_ENDPOINT_URL'];
    const source = names.find((name) => (env[name] ?? '') !== '');
    return source === undefined ? undefined : { url: env[source] ?? '', source };
  };
  const option = given.endpoint === undefined ? undefined : { url: given.endpoint, source: '--endpoint' };
  const dynamodb = option ?? (given.engine === undefined ? fromEnvironment('DYNAMODB') : undefined);
  const s3 = fromEnvironment('S3');
  const sfn = fromEnvironment('SFN');
  const wrong = [dynamodb, s3, sfn].flatMap((one) => (one === undefined || address.read(one.url) !== undefined ? [] : [one]));
  const problems = wrong.map(({ url, source }) => `${source}: expected ${address.expected}, found ${url}`);
  return { endpoints: { dynamodb, s3, sfn }, problems: [...new Set(problems)] };
}
