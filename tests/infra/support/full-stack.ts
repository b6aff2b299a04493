import { place } from './fake-aws.ts';
import { type Settings, stackFile } from './stack-file.ts';

/** A production stack with everything switched on that makes resources of its own. */
export const fullStack: Settings = {
  ...stackFile('prod'),
  'tablewright:alarms': { subscriptions: [{ protocol: 'email', endpoint: 'ops@example.com' }] },
  'tablewright:backups': { enabled: true, lock: { minDays: 7 } },
  'tablewright:ci': {
    provider: `arn:aws:iam::${place.account}:oidc-provider/token.actions.githubusercontent.com`,
    deploy: ['repo:desk/trading:environment:prod'],
    migrate: ['repo:desk/trading:ref:refs/heads/main'],
  },
  'tablewright:roles': { api: { policies: ['application-read', 'application-write'], services: ['lambda.amazonaws.com'] } },
  // Any file does: nothing is deployed.
  'tablewright:schedules': { bundle: 'package.json', archive: { enabled: true }, drift: { enabled: true } },
  'tablewright:tables': { orders: { contributorInsights: 'throttled' } },
};
