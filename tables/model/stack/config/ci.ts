import { z } from 'zod';
import { textLike } from './values.ts';

const provider = textLike(
  /^arn:aws[\w-]*:iam::\d{12}:oidc-provider\/[\w.-]+(\/[\w./-]+)?$/,
  'the ARN of an OpenID Connect provider, like arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com',
);

/**
 * Whose token is taken, whole: a pattern would let in whoever can choose a name that fits it. GitHub says
 * `repo:OWNER/NAME:ref:refs/heads/BRANCH` or `repo:OWNER/NAME:environment:NAME`, GitLab
 * `project_path:GROUP/NAME:ref_type:branch:ref:BRANCH`.
 */
const subject = textLike(/^[^\s*?]{3,255}$/, 'the whole subject of a token, without * and ?');

export const ciSchema = z
  .strictObject({
    /** One per account, so it is made elsewhere. */
    provider,
    audience: textLike(/^[^\s*?]{1,255}$/, 'the audience of the tokens').default('sts.amazonaws.com'),
    /** Whose pipelines deploy the stack. */
    deploy: z.array(subject).default([]),
    /** Whose pipelines run its migrations. */
    migrate: z.array(subject).default([]),
  })
  .superRefine(({ deploy, migrate }, context) => {
    if (deploy.length + migrate.length > 0) return;
    context.addIssue({ code: 'custom', message: 'expected subjects under deploy or migrate, found none' });
  });

export type CiSettings = z.output<typeof ciSchema>;
