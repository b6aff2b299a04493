import { TablewrightError } from '../../tables/model/error.ts';
import { type AwsPlace, anyKeyArn, resourceName } from '../../tables/model/stack/aws-place.ts';
import type { Purpose } from '../../tables/model/stack/config/access.ts';
import { type StackConfig, tablesOf } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { grantsOf } from './grants.ts';
import { longestDocument, splitPolicy } from './split-policy.ts';

export interface PolicySpec {
  /** `application-read-oms`, `migration-runner`, `migration-runner-part-2`: unique within a stack. */
  readonly id: string;
  readonly name: string;
  readonly purpose: Purpose;
  /** The system it is for; undefined when it is for the whole stack. */
  readonly system: string | undefined;
  readonly description: string;
  document(keyArn: string | undefined): string;
}

/** The policies of one purpose, in parts, and why they cannot be made. */
interface Drafted {
  readonly specs: readonly PolicySpec[];
  readonly problems: readonly string[];
}

/**
 * The managed policies of a stack. A production stack has no seeder, so nobody can be given it. One that is too long for IAM is
 * split between its tables, before anything is registered: a preview shows it as a deployment does.
 */
export function policiesOf(catalogue: readonly Table[], config: StackConfig, place: AwsPlace): readonly PolicySpec[] {
  const deployed = tablesOf(config, catalogue);
  const systems = [...new Set(deployed.map(({ system }) => system))].filter((system) => system !== 'tablewright');
  const ofSystem = (system: string) => deployed.filter((table) => table.system === system);
  const draft = (purpose: Purpose, tables: readonly Table[], system?: string) =>
    draftPolicy({ purpose, system, tables, config, place });
  const streamed = deployed.filter(({ name }) => config.tables[name]?.stream !== undefined);
  const drafted = [
    ...systems.flatMap((system) => [
      draft('application-read', ofSystem(system), system),
      draft('application-write', ofSystem(system), system),
    ]),
    draft('migration-runner', deployed),
    ...(config.production ? [] : [draft('seeder', deployed)]),
    ...(streamed.length === 0 ? [] : [draft('stream-reader', streamed)]),
    ...(['exporter', 'importer', 'restorer', 'inspector', 'warmer'] as const).map((purpose) => draft(purpose, deployed)),
    // Nobody puts into the ledger in bulk.
    draft(
      'bulk-importer',
      deployed.filter(({ system }) => system !== 'tablewright'),
    ),
  ];
  const problems = drafted.flatMap((draft) => draft.problems);
  if (problems.length === 0) return drafted.flatMap(({ specs }) => specs);
  throw new TablewrightError('BAD_CATALOGUE', 'Tables have more indexes than a policy can name', {
    problems,
    next: 'Shorten the names of the table and its indexes, or leave its system out of this stack (tablewright:systems).',
  });
}

interface Wanted {
  readonly purpose: Purpose;
  readonly system: string | undefined;
  readonly tables: readonly Table[];
  readonly config: StackConfig;
  readonly place: AwsPlace;
}

function draftPolicy({ purpose, system, tables, config, place }: Wanted): Drafted {
  const id = system === undefined ? purpose : `${purpose}-${system}`;
  const grants = grantsOf(purpose);
  // The key is not there yet; the length of its ARN is known.
  const { parts, tooLong } = splitPolicy(
    grants,
    { place, config, keyArn: config.ephemeral ? undefined : anyKeyArn(place) },
    tables,
  );
  const specs = parts.map((part, at) => {
    // The first keeps the name, so that a policy that has to be split stays the resource that it was.
    const own = at === 0 ? id : `${id}-part-${at + 1}`;
    const description = parts.length === 1 ? grants.description : `${grants.description} (${at + 1} of ${parts.length})`;
    const document = (keyArn: string | undefined) => part.document({ place, config, keyArn });
    return { id: own, name: resourceName(config, own), purpose, system, description, document };
  });
  const problems = tooLong.map(
    ({ table, length }) => `${id}: ${table}: expected at most ${longestDocument} characters, found ${length}`,
  );
  return { specs, problems };
}
