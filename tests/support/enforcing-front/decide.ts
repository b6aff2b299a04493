import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { DeployedAccess, PolicyDocument } from './access.ts';
import type { Ask } from './ask.ts';
import { allowsNewer, isNewer } from './newer-actions.ts';

/** Who asks: the names of the policies that it holds, and nothing else. */
export type Holding = readonly string[];

export const principal = (account: string) => `arn:aws:iam::${account}:role/under-test`;

/** Decides what a caller may do by the policies that the stack registers, and remembers it: a decision takes milliseconds. */
export class Decisions {
  readonly #access: DeployedAccess;
  readonly #known = new Map<string, Promise<boolean>>();
  /** Condition keys that any policy looks at; others cannot change a decision. */
  readonly #conditions: ReadonlySet<string>;

  constructor(access: DeployedAccess) {
    this.#access = access;
    const documents = [...access.policies.values(), access.key.policy, ...access.buckets.values()];
    this.#conditions = new Set(documents.flatMap(conditionKeys));
  }

  allows(holding: Holding, ask: Ask): Promise<boolean> {
    const context = Object.fromEntries(Object.entries(ask.context).filter(([name]) => this.#conditions.has(name)));
    const key = JSON.stringify([holding, ask.action, ask.resource, context]);
    const known = this.#known.get(key) ?? this.#decide(holding, { ...ask, context });
    this.#known.set(key, known);
    return known;
  }

  async #decide(holding: Holding, ask: Ask): Promise<boolean> {
    const { account } = this.#access;
    const identity = holding.map((name) => ({ name, policy: this.#policy(name) }));
    if (isNewer(ask.action))
      return allowsNewer(
        identity.map(({ policy }) => policy),
        ask,
      );
    const resourcePolicy = this.#resourcePolicy(ask.resource);
    const result = await runSimulation(
      {
        request: {
          principal: principal(account),
          action: ask.action,
          resource: { resource: ask.resource, accountId: account },
          contextVariables: ask.context as Record<string, string | string[]>,
        },
        identityPolicies: identity,
        serviceControlPolicies: [],
        resourceControlPolicies: [],
        ...(resourcePolicy === undefined ? {} : { resourcePolicy }),
      },
      {},
    );
    if (result.resultType === 'error') throw new Error(`${ask.action} on ${ask.resource}: ${JSON.stringify(result.errors)}`);
    return result.overallResult === 'Allowed';
  }

  #policy(name: string): PolicyDocument {
    const found = this.#access.policies.get(name);
    if (found === undefined) throw new Error(`the stack registers no policy ${name}`);
    return found;
  }

  #resourcePolicy(resource: string): PolicyDocument | undefined {
    const { key, buckets } = this.#access;
    if (resource === key.arn) return key.policy;
    return buckets.get(/^arn:aws:s3:::([^/]+)/.exec(resource)?.[1] ?? '');
  }
}

function conditionKeys({ Statement }: PolicyDocument): readonly string[] {
  return Statement.flatMap(({ Condition = {} }) => Object.values(Condition).flatMap((tests) => Object.keys(tests)));
}
