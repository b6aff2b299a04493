import { resourceName, type StackName } from './aws-place.ts';

/**
 * The alias of a stack's key. DynamoDB takes it wherever it takes a key (API reference, `SSESpecification`), so the command
 * line names the key without asking for its ARN.
 */
export function keyAlias(config: StackName): string {
  return `alias/${resourceName(config)}`;
}
