import type { Purpose } from '../../../tables/model/stack/config/access.ts';

/**
 * Which of a stack's policies each call of an application runs under, as `engine/cli/policy-needs.ts` says it for commands: the
 * reader's and the writer's methods, and `run` with each operation of the catalogue.
 */
export const callPolicies = {
  'reader.read': ['application-read'],
  'reader.page': ['application-read'],
  'reader.first': ['application-read'],
  'reader.exists': ['application-read'],
  'reader.count': ['application-read'],
  // These read before they write: what a record refers to, what it is, or what was in the way.
  'writer.put': ['application-read', 'application-write'],
  'writer.update': ['application-read', 'application-write'],
  'writer.remove': ['application-read', 'application-write'],
  'writer.together': ['application-read', 'application-write'],
  'oms.createOrder': ['application-read', 'application-write'],
  'oms.updateOrderStatus': ['application-read', 'application-write'],
  'markets.updateOrder': ['application-read', 'application-write'],
  'markets.fillOrder': ['application-read', 'application-write'],
  'backtest.replaceScanCoins': ['application-read', 'application-write'],
  'orderManagement.changeOrderStatus': ['application-read', 'application-write'],
  // These know by their conditions all that they must.
  'orderManagement.changeItemStatus': ['application-write'],
  'markets.advanceCheckpoint': ['application-write'],
  'markets.takeLock': ['application-write'],
  'markets.renewLock': ['application-write'],
  'markets.releaseLock': ['application-write'],
  'markets.claimSignature': ['application-write'],
} as const satisfies Readonly<Record<string, readonly Purpose[]>>;

export type CallName = keyof typeof callPolicies;
