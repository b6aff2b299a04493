import { projectName, type StackConfig } from './stack-config.ts';

/**
 * The alias of a stack's key. DynamoDB takes it wherever it takes a key (API reference, `SSESpecification`), so the command
 * line names the key without asking for its ARN.
 */
export function keyAlias({ stack }: Pick<StackConfig, 'stack'>): string {
  return `alias/${projectName}-${stack}`;
}
