import type { Tags } from '../../../tables/model/stack/tags.ts';

/** A CloudFormation stack that a table belongs to, and whether it would leave the table behind. */
export interface StackOwner {
  readonly stack: string;
  /** The table's name in the template. */
  readonly logicalId: string;
  readonly keeps: boolean;
  /** What its template says, where it does not keep the table. */
  readonly why: string;
}

/** CloudFormation puts these on what it makes; nobody else can (CloudFormation User Guide, "Resource tags"). */
const stackTag = 'aws:cloudformation:stack-name';
const logicalIdTag = 'aws:cloudformation:logical-id';

export function ownerOf(tags: Tags): Pick<StackOwner, 'stack' | 'logicalId'> | undefined {
  const stack = tags[stackTag];
  return stack === undefined ? undefined : { stack, logicalId: tags[logicalIdTag] ?? 'an unknown resource' };
}

/** Policies that leave a resource behind (CloudFormation User Guide, "DeletionPolicy attribute"). */
const keeping = ['Retain', 'RetainExceptOnCreate'];

/** What the template of the owner says about its table. */
export function judgeTemplate(owner: Pick<StackOwner, 'stack' | 'logicalId'>, template: unknown): StackOwner {
  const resources = (template as { readonly Resources?: Readonly<Record<string, unknown>> } | undefined)?.Resources;
  const resource = resources?.[owner.logicalId] as { readonly DeletionPolicy?: unknown } | undefined;
  if (resource === undefined) return { ...owner, keeps: false, why: 'and its template does not have it' };
  const policy = resource.DeletionPolicy;
  const keeps = keeping.includes(String(policy));
  return { ...owner, keeps, why: keeps ? '' : `with the DeletionPolicy ${policy === undefined ? 'Delete' : String(policy)}` };
}
