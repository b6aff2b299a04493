import type { TablewrightError } from '../../tables/model/error.ts';
import { localStack } from './local-stack.ts';
import type { CommonOptions } from './spec/command-spec.ts';

/** What makes a table or an index that is missing, on the stack and the server that were asked. Undefined for any other error. */
export function missingAdvice({ code }: TablewrightError, { stack, endpoints }: CommonOptions): string | undefined {
  if (code !== 'TABLE_MISSING' && code !== 'INDEX_MISSING') return undefined;
  const { source, url } = endpoints.dynamodb ?? {};
  // What the environment says it says to the next command, too.
  const server = source === '--endpoint' ? ['--endpoint', url] : [];
  const local = stack === localStack;
  const make = local ? ['tablewright up', ...server] : ['npx pulumi up -s', stack];
  const list = ['tablewright doctor', ...(local ? [] : ['--stack', stack]), ...server];
  return `Run '${make.join(' ')}', which makes what is missing; '${list.join(' ')}' lists it.`;
}
