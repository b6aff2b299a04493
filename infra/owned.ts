import * as pulumi from '@pulumi/pulumi';

/** The options of what belongs to a project's component and to nothing below it. */
export interface Owned {
  readonly parent: pulumi.Resource;
  readonly aliases: pulumi.Alias[];
}

/**
 * Stacks of the first release have no component: what is in it now had no parent. Its URN of then is an alias, so Pulumi takes it for the
 * resource that it is; what lies deeper inherits the alias from its parent (Pulumi documentation, "Refactoring with aliases", wrapping resources
 * in a component). Without, every table would be replaced.
 */
export function ownedBy(parent: pulumi.Resource): Owned {
  return { parent, aliases: [{ parent: pulumi.rootStackResource }] };
}
