/** What Pulumi programs import: `import { deployTables } from 'tablewright/pulumi'`; its parts for those who compose. */
export type { AwsPlace } from '../tables/model/stack/aws-place.ts';
export { parseStackConfig, type StackConfig } from '../tables/model/stack/stack-config.ts';
export { ExportBucket } from './bucket/export-bucket.ts';
export { findPlace } from './config/find-place.ts';
export { type Deployment, deployProject, deployTables } from './program.ts';
export { ProjectStack, type ProjectStackArgs, type StackOutputs } from './project-stack.ts';
export { DynamoTable, type DynamoTableArgs } from './table/dynamo-table.ts';
