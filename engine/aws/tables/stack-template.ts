import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { type CloudFormationClient, cloudFormationClient } from '../clients.ts';
import type { Patience } from '../patience.ts';

export interface Template {
  /** As CloudFormation has it: JSON or YAML. Undefined where it cannot be asked. */
  readonly text: string | undefined;
  /** Why not. */
  readonly why: string;
}

/** The template of a CloudFormation stack. Whoever may not read it is told so; adoption then needs somebody's word. */
export async function readTemplate(
  { region, patience, signal }: { readonly region: string; readonly patience: Patience; readonly signal: AbortSignal },
  stack: string,
): Promise<Template> {
  let client: CloudFormationClient | undefined;
  try {
    client = await cloudFormationClient({ region, patience });
    const request = new GetTemplateCommand({ StackName: stack, TemplateStage: 'Original' });
    const { TemplateBody } = await client.send(request, { abortSignal: signal });
    return { text: TemplateBody, why: 'and CloudFormation has no template of it' };
  } catch (error) {
    if (signal.aborted) throw error;
    return { text: undefined, why: `and its template could not be read (${error instanceof Error ? error.name : 'unknown'})` };
  } finally {
    client?.destroy();
  }
}
