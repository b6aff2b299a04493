import { exportBucketName } from '../../tables/export-bucket-name.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import type { Table } from '../../tables/model/table.ts';
import type { Purpose } from '../../tables/stack-config/access.ts';
import { physicalName, type StackConfig, tablesOf } from '../../tables/stack-config.ts';
import { indexArn, type Place, stackName, tableArn } from '../place.ts';
import { type Grants, grantsOf } from './grants.ts';
import { policyDocument, type Statement } from './statement.ts';

export interface PolicySpec {
  /** `application-read-oms`, `migration-runner`: unique within a stack. */
  readonly id: string;
  readonly name: string;
  readonly purpose: Purpose;
  /** The system it is for; undefined when it is for the whole stack. */
  readonly system: string | undefined;
  readonly description: string;
  document(keyArn: string): string;
}

/** A managed policy holds this many characters, white space aside (IAM User Guide, "IAM and AWS STS quotas"). */
const longestDocument = 6_144;

const descriptions: Readonly<Record<Purpose, string>> = {
  'application-read': 'Reads tables and indexes by key; never scans',
  'application-write': 'Writes items of tables; reads nothing but conditions',
  'migration-runner': 'Reads and rewrites items of every table and keeps the ledger',
  seeder: 'Fills tables with fixtures',
  exporter: 'Reads whole tables and writes them to the bucket of the stack',
  importer: 'Reads the bucket of the stack and writes to tables, or makes new ones by native import',
};

/** The managed policies of a stack. A production stack has no seeder, so nobody can be given it. */
export function policiesOf(catalogue: readonly Table[], config: StackConfig, place: Place): readonly PolicySpec[] {
  const deployed = tablesOf(config, catalogue);
  const systems = [...new Set(deployed.map(({ system }) => system))].filter((system) => system !== 'tablewright');
  const policy = (purpose: Purpose, tables: readonly Table[], system?: string): PolicySpec => {
    const id = system === undefined ? purpose : `${purpose}-${system}`;
    const grants = grantsOf(purpose);
    const document = (keyArn: string) => checked(id, policyDocument(statements(grants, tables, config, { ...place, keyArn })));
    return { id, name: stackName(config.stack, id), purpose, system, description: descriptions[purpose], document };
  };
  const ofSystem = (system: string) => deployed.filter((table) => table.system === system);
  return [
    ...systems.flatMap((system) => [
      policy('application-read', ofSystem(system), system),
      policy('application-write', ofSystem(system), system),
    ]),
    policy('migration-runner', deployed),
    ...(config.production ? [] : [policy('seeder', deployed)]),
    policy('exporter', deployed),
    policy('importer', deployed),
  ];
}

function statements(
  grants: Grants,
  tables: readonly Table[],
  config: StackConfig,
  place: Place & { readonly keyArn: string },
): readonly Statement[] {
  const names = tables.map((table) => physicalName(table, config));
  const indexes = tables.flatMap((table) =>
    table.indexes.map((index) => indexArn(place, physicalName(table, config), index.name)),
  );
  const allow = (Sid: string, Action: readonly string[], Resource: readonly string[]): Statement[] =>
    Action.length === 0 || Resource.length === 0 ? [] : [{ Sid, Effect: 'Allow', Action, Resource }];
  return [
    ...allow(
      'Tables',
      grants.tables,
      names.map((name) => tableArn(place, name)),
    ),
    ...allow('Indexes', grants.indexes, indexes),
    ...grants.extra(place, names, exportBucketName(config, place)),
    {
      Sid: 'Key',
      Effect: 'Allow',
      Action: grants.key,
      Resource: place.keyArn,
      Condition: {
        StringEquals: { 'kms:ViaService': grants.services.map((service) => `${service}.${place.region}.${place.dnsSuffix}`) },
      },
    },
  ];
}

function checked(id: string, document: string): string {
  if (document.length <= longestDocument) return document;
  throw new TablewrightError('BAD_CATALOGUE', `The policy ${id} is too long`, {
    problems: [`${id}: expected at most ${longestDocument} characters, found ${document.length}`],
    next: 'Deploy fewer systems in this stack (tablewright:systems), so that the policy names fewer tables.',
  });
}
