import { fileURLToPath } from 'node:url';
import type { Settings } from '../stack-file.ts';

/** A deployment between two others, where one is not enough, and how the direct way ends. */
interface Between {
  readonly settings: Settings;
  readonly refused: RegExp;
  /** The lines of docs/infrastructure.md that make the two deployments. */
  readonly commands: readonly string[];
}

/** A setting that is changed and changed back, and what each deployment does; nothing where only the command line reads it. */
export interface SettingChange {
  /** The settings as docs/configuration.md names them. */
  readonly keys: readonly string[];
  readonly stack: 'dev' | 'prod';
  readonly from?: Settings;
  readonly to: Settings;
  readonly there: readonly string[];
  readonly back: readonly string[];
  readonly betweenThere?: Between;
  readonly betweenBack?: Between;
}

/** `protect: false` first, where Pulumi would not let go of what it protects. */
export const letGo = (settings: Settings, refused: RegExp): Between => ({
  settings: { ...settings, protect: false },
  refused,
  commands: [
    'npx pulumi config set tablewright:protect false -s prod && npx pulumi up -s prod',
    'npx pulumi config rm tablewright:protect -s prod         # and change the setting',
    'npx pulumi up -s prod',
  ],
});

/** The same each way. */
export const both = (...steps: readonly string[]) => ({ there: steps, back: steps });
export const made = (...things: readonly string[]) => ({
  there: things.map((thing) => `create ${thing}`),
  back: things.map((thing) => `delete ${thing}`),
});
export const taken = (...things: readonly string[]) => ({ there: made(...things).back, back: made(...things).there });

export const backups = ['backup.Plan ×1', 'backup.Selection ×1', 'backup.Vault ×1', 'iam.Role ×1', 'iam.RolePolicyAttachment ×2'];
export const ofKey = 'update kms.Key ×1: policy';

/** Where protection was lifted for the deployment between, the last one puts it back. */
export const heldAgain = (buckets: number) => [
  'update dynamodb.Table ×3: deletionProtectionEnabled',
  `update s3.Bucket ×${buckets}: forceDestroy`,
];
export const vaultHeld = 'update backup.Vault ×1: forceDestroy';

/** Stands for a bundle: the program looks only whether it is there. */
export const anyFile = fileURLToPath(import.meta.url);
