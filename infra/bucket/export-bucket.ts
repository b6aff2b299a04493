import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { AwsPlace } from '../../tables/model/stack/aws-place.ts';
import { exportBucketName, logBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { projectName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { policyDocument } from '../access/statement.ts';
import { registersSomething } from '../idle-program.ts';
import { logDelivery, tlsOnly } from './bucket-policy.ts';
import { type LifecycleRule, lifecycleRules } from './lifecycle.ts';

export interface ExportBucketArgs {
  readonly config: StackConfig;
  readonly place: AwsPlace;
  /** Undefined: encrypted with S3's own key. */
  readonly keyArn: pulumi.Input<string> | undefined;
}

interface BucketParts {
  readonly name: string;
  readonly bucketName: string;
  readonly encryption: aws.types.input.s3.BucketServerSideEncryptionConfigurationRule;
  readonly policy: string;
  readonly rules: LifecycleRule[];
}

/** Where exports go and imports come from: private, versioned, encrypted, TLS only. */
export class ExportBucket extends pulumi.ComponentResource {
  readonly resource: aws.s3.Bucket;
  readonly #config: StackConfig;

  constructor({ config, place, keyArn }: ExportBucketArgs, options?: pulumi.ComponentResourceOptions) {
    super(`${projectName}:s3:ExportBucket`, 'exports', {}, options);
    registersSomething();
    this.#config = config;
    const name = exportBucketName(config, place);
    this.resource = this.#bucket({
      name: 'exports',
      bucketName: name,
      encryption: encryptionWith(keyArn),
      policy: policyDocument(tlsOnly(place, name)),
      rules: lifecycleRules(config.exportBucket),
    });
    if (config.exportBucket.accessLogs.enabled) this.#accessLogs(place, name);
    this.registerOutputs({ bucket: this.resource.bucket, arn: this.resource.arn });
  }

  #accessLogs(place: AwsPlace, source: string): void {
    const bucketName = logBucketName(this.#config, place);
    const { expireDays } = this.#config.exportBucket.accessLogs;
    const logs = this.#bucket({
      name: 'export-logs',
      bucketName,
      // S3 delivers no access logs to a bucket whose default is a KMS key (S3 User Guide, "Enabling server access logging").
      encryption: { applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } },
      policy: policyDocument([logDelivery(place, bucketName, source), ...tlsOnly(place, bucketName)]),
      rules: [
        {
          id: 'logs',
          status: 'Enabled',
          filter: { prefix: '' },
          expiration: { days: expireDays },
          noncurrentVersionExpiration: { noncurrentDays: 1 },
        },
      ],
    });
    new aws.s3.BucketLogging(
      'exports',
      { bucket: this.resource.bucket, targetBucket: logs.bucket, targetPrefix: 'exports/' },
      { parent: this },
    );
  }

  /** A bucket and its settings, each a resource of its own; the arguments inside the bucket are deprecated. */
  #bucket({ name, bucketName, encryption, policy, rules }: BucketParts): aws.s3.Bucket {
    const { protect } = this.#config;
    const resource = new aws.s3.Bucket(
      name,
      // Outside production a destroyed stack takes its exports with it; S3 would refuse to delete a bucket with objects.
      { bucket: bucketName, forceDestroy: !protect, tags: { ...stackTags(this.#config) } },
      { parent: this, protect },
    );
    const { bucket } = resource;
    const parent = { parent: this };
    const closed = new aws.s3.BucketPublicAccessBlock(
      name,
      { bucket, blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true, restrictPublicBuckets: true },
      parent,
    );
    new aws.s3.BucketOwnershipControls(name, { bucket, rule: { objectOwnership: 'BucketOwnerEnforced' } }, parent);
    const versioning = new aws.s3.BucketVersioning(name, { bucket, versioningConfiguration: { status: 'Enabled' } }, parent);
    new aws.s3.BucketServerSideEncryptionConfiguration(name, { bucket, rules: [encryption] }, parent);
    // Rules on noncurrent versions need the versioning to be there.
    new aws.s3.BucketLifecycleConfiguration(name, { bucket, rules }, { ...parent, dependsOn: [versioning] });
    // S3 refuses two changes to who may reach a bucket at the same time.
    new aws.s3.BucketPolicy(name, { bucket, policy }, { ...parent, dependsOn: [closed] });
    return resource;
  }
}

function encryptionWith(keyArn: pulumi.Input<string> | undefined): BucketParts['encryption'] {
  if (keyArn === undefined) return { applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } };
  return {
    applyServerSideEncryptionByDefault: { sseAlgorithm: 'aws:kms', kmsMasterKeyId: keyArn },
    // One data key for the whole bucket: a thousand objects are not a thousand calls to KMS.
    bucketKeyEnabled: true,
  };
}
