import {
  type AwsPlace,
  alarmArn,
  bucketArn,
  indexArn,
  resourceName,
  tableArn,
  viaService,
} from '../../tables/model/stack/aws-place.ts';
import { exportBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import type { PolicyStatement } from './statement.ts';

/** Whose policy it is, and where. */
export interface Scope {
  readonly place: AwsPlace;
  readonly config: StackConfig;
  /** Undefined where the stack uses AWS's own keys, which need no grant. */
  readonly keyArn: string | undefined;
}

/** What a purpose may do. */
export interface Grants {
  readonly description: string;
  /** Once in a policy, whatever its tables. */
  shared(scope: Scope): readonly PolicyStatement[];
  /** On some of the tables; a policy that gets too long is split between them. */
  ofTables(scope: Scope, tables: readonly Table[]): readonly PolicyStatement[];
}

export const dynamodb = (...actions: readonly string[]) => actions.map((action) => `dynamodb:${action}`);
export const scaling = (...actions: readonly string[]) => actions.map((action) => `application-autoscaling:${action}`);

/** Nothing at all where there is nothing to allow it on: IAM refuses a statement without a resource. */
export function allow(
  Sid: string,
  Action: readonly string[],
  Resource: readonly string[],
  Condition?: PolicyStatement['Condition'],
): readonly PolicyStatement[] {
  if (Resource.length === 0) return [];
  return [{ Sid, Effect: 'Allow', Action, Resource, ...(Condition === undefined ? {} : { Condition }) }];
}

export function tableArns({ place, config }: Scope, tables: readonly Table[], ending = ''): readonly string[] {
  return tables.map((table) => tableArn(place, physicalName(table, config)) + ending);
}

export function indexArns({ place, config }: Scope, tables: readonly Table[]): readonly string[] {
  return tables.flatMap((table) => table.indexes.map(({ name }) => indexArn(place, physicalName(table, config), name)));
}

/**
 * Every alarm of the stack, which are too many to name each in a policy and all have its name in front, and those of others that
 * the stack's file names.
 */
export function alarmArns({ place, config }: Scope): readonly string[] {
  const own = `${resourceName(config)}-`;
  const others = (config.pauseOnAlarms ?? []).filter((name) => !name.startsWith(own));
  return [`${own}*`, ...others].map((name) => alarmArn(place, name));
}

/** The stack's key, through the named services only. */
export function useOfKey(
  { place, keyArn }: Scope,
  actions: readonly string[],
  ...services: readonly string[]
): readonly PolicyStatement[] {
  if (keyArn === undefined) return [];
  const through = services.map((service) => viaService(place, service));
  const Condition = { StringEquals: { 'kms:ViaService': through } };
  return [{ Sid: 'Key', Effect: 'Allow', Action: actions, Resource: keyArn, Condition }];
}

/** DynamoDB keeps a grant of the key for a table that it makes; nobody gets one for himself. */
export function grantForTables({ place, keyArn }: Scope): readonly PolicyStatement[] {
  if (keyArn === undefined) return [];
  const Condition = {
    StringEquals: { 'kms:ViaService': viaService(place, 'dynamodb') },
    Bool: { 'kms:GrantIsForAWSResource': 'true' },
  };
  return [{ Sid: 'KeyGrant', Effect: 'Allow', Action: ['kms:CreateGrant'], Resource: keyArn, Condition }];
}

/** A folder of the stack's own bucket. */
export function useOfFolder({ place, config }: Scope, folder: string, ...objects: readonly string[]): readonly PolicyStatement[] {
  const arn = bucketArn(place, exportBucketName(config, place));
  return allow(
    'Folder',
    objects.map((action) => `s3:${action}`),
    [`${arn}/${folder}*`],
  );
}

/** The stack's own bucket. Objects get their names when they are made. */
export function useOfBucket({ place, config }: Scope, ...objects: readonly string[]): readonly PolicyStatement[] {
  const arn = bucketArn(place, exportBucketName(config, place));
  return [
    ...allow('Bucket', ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'], [arn]),
    ...allow(
      'Objects',
      objects.map((action) => `s3:${action}`),
      [`${arn}/*`],
    ),
  ];
}
