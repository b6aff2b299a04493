import { TablewrightError } from '../../../tables/model/error.ts';
import type { StackConfig } from '../../../tables/model/stack/stack-config.ts';

/** A production stack takes no seeds, whatever else was asked for. */
export function refuseProduction(config: Pick<StackConfig, 'production' | 'stack'>): void {
  if (!config.production) return;
  throw new TablewrightError('REFUSED_IN_PRODUCTION', `${config.stack} is a production stack; seeds are never written there`, {
    next: `Choose another stack with --stack. (Pulumi.${config.stack}.yaml says tablewright:production: true; no flag overrides it.)`,
  });
}
