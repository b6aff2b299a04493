import { TablewrightError } from '../../../tables/model/error.ts';

interface SdkFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'EPIPE']);
const credentialNames = new Set([
  'CredentialsProviderError',
  'UnrecognizedClientException',
  'ExpiredTokenException',
  'InvalidSignatureException',
]);

/** What a failed call means to the person who made it. Aborts and our own errors pass as they are. */
export function explainFailure(where: string, error: unknown): unknown {
  if (error instanceof TablewrightError || !(error instanceof Error) || error.name === 'AbortError') return error;
  const failure = error as SdkFailure;
  if (failure.code !== undefined && networkCodes.has(failure.code)) {
    return new TablewrightError('STORE_FAILED', `${where}: the server cannot be reached (${failure.code})`, {
      cause: error,
      next: 'Check --endpoint and the network, then run the command again.',
    });
  }
  if (credentialNames.has(failure.name)) {
    return new TablewrightError('NO_CREDENTIALS', `${where}: AWS does not accept the credentials: ${failure.message}`, {
      cause: error,
      next: "Sign in (for instance 'aws sso login') or set AWS_PROFILE, then run the command again.",
    });
  }
  if (failure.name === 'ResourceNotFoundException') {
    return new TablewrightError('TABLE_MISSING', `${where}: the table or index does not exist in this stack`, {
      cause: error,
      next: "Run 'tablewright doctor' to see what is missing; 'tablewright up' makes the local tables, 'npx pulumi up' those of a stack.",
    });
  }
  return new TablewrightError('STORE_FAILED', `${where}: ${failure.name}: ${failure.message}`, {
    cause: error,
    next: 'Correct what it names, then run the command again.',
  });
}
