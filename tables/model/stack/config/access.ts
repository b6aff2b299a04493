import * as z from 'zod';
import { choiceSetting, textLike } from './values.ts';

/** What a policy of the stack lets its holder do. The application's two are made per system. */
export const purposes = [
  'application-read',
  'application-write',
  'migration-runner',
  'seeder',
  'exporter',
  'importer',
  'bulk-importer',
  'restorer',
  'inspector',
  'warmer',
  'stream-reader',
] as const;

export type Purpose = (typeof purposes)[number];

const principal = textLike(
  /^(arn:aws[\w-]*:(iam|sts)::\d{12}:(root|(role|user|assumed-role)\/[\w+=,.@/-]+))$/,
  'the ARN of an account, a role or a user',
);

const service = textLike(/^[a-z0-9.-]+\.amazonaws\.com(\.cn)?$/, 'a service like lambda.amazonaws.com');

/** A role holds ten managed policies unless AWS raised the quota (IAM User Guide, "IAM and AWS STS quotas"). */
export const policiesPerRole = 10;

export const roleSchema = z
  .strictObject({
    policies: z.array(choiceSetting(purposes)).min(1),
    /** The systems whose application policies it gets; all of the stack's when left out. */
    systems: z.array(z.string()).min(1).optional(),
    /** Who may take the role: ARNs, services, or both. */
    principals: z.array(principal).default([]),
    services: z.array(service).default([]),
  })
  .superRefine(({ principals, services }, context) => {
    if (principals.length + services.length > 0) return;
    context.addIssue({ code: 'custom', message: 'expected principals or services that may take the role, found none' });
  });

/** Role names hold 64 characters (IAM User Guide, "IAM and AWS STS quotas"); the stack's prefix takes a part of them. */
const roleName = z.string().regex(/^[A-Za-z0-9][\w+=,.@-]{0,31}$/, {
  error: (issue) => `expected a role name of up to 32 letters, digits and hyphens, found ${String(issue.input)}`,
});

export const rolesSchema = z.record(roleName, roleSchema);

export type RoleSettings = z.output<typeof roleSchema>;
