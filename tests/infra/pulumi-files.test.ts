import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readStack } from '../../engine/cli/read-stack.ts';
import { parseStackFile } from '../../engine/cli/stack-file.ts';
import { parseStackConfig, type StackConfig, stackConfigSchema } from '../../tables/model/stack/stack-config.ts';
import { failureOf } from '../support/failure-of.ts';
import { project, tables } from '../support/project.ts';
import { linkProject } from '../support/project-folder.ts';
import { runCli } from '../support/run-cli.ts';
import { configSet, configSetLines, type SetOptions } from './support/config-set.ts';
import { schemaKeys } from './support/schema-keys.ts';
import { singleSamples, wholeSamples } from './support/single-samples.ts';
import { encodeConfig } from './support/stack-file.ts';
import { thrown } from './support/thrown.ts';

const folder = fileURLToPath(new URL('./stack-files/', import.meta.url));
const read = (stack: string) => readStack(stack, folder, tables, project);
const bytes = (text: string) => new TextEncoder().encode(text);

/** What the command line makes of a file's text, and what the program makes of it once Pulumi has read it. */
function bothSides(text: string, decrypt: (config: unknown) => unknown = (config) => config): readonly StackConfig[] {
  const { config } = parseStackFile('Pulumi.qa.yaml', bytes(text));
  const handedOver = encodeConfig(decrypt(config) as Readonly<Record<string, unknown>>);
  return [parseStackConfig('qa', config, tables), parseStackConfig('qa', handedOver, tables)];
}

describe('a file that Pulumi left', () => {
  it('by stack init with a passphrase alone is a stack of defaults', async () => {
    expect(await read('passphrase')).to.deep.include({ production: false, region: 'us-east-1', hidden: [] });
  });

  it('by the README’s own lines reads like the file before them, and the account with it', async () => {
    const before = await readStack('dev', fileURLToPath(new URL('../../', import.meta.url)), tables, project);
    const after = await read('dev-after-init');
    expect({ ...after, stack: 'dev' }).to.deep.equal({ ...before, account: '123456789012' });
  });

  it('with a KMS provider, keys of others, quoted keys and secrets is read', async () => {
    const config = await read('kms');
    expect(config).to.deep.include({
      region: 'eu-west-1',
      production: true,
      protect: true,
      account: '012345678901',
      systems: ['oms', 'markets'],
      budgets: { read: 100, write: 500 },
      tags: { costCentre: '4711', nightly: 'true' },
      hidden: ['alarms.subscriptions.0.endpoint'],
    });
    expect(config.alarms).to.deep.include({ readLatency: { threshold: 12.5 }, subscriptions: [] });
  });

  it('with JSON as text at the top is read', async () => {
    const { budgets, systems, dashboards, protect, priceRegion } = await read('json-values');
    expect({ budgets, systems, dashboards, protect, priceRegion }).to.deep.equal({
      budgets: { read: 7, write: 8 },
      systems: ['oms'],
      dashboards: false,
      protect: true,
      priceRegion: 'eu-west-1',
    });
  });

  it('with an environment is read when it says itself what guards the stack', async () => {
    expect(await read('esc')).to.deep.include({ production: false, region: 'us-east-1' });
  });

  it('works with the real command line', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'tablewright-stack-files-'));
    await cp(folder, elsewhere, { recursive: true });
    await linkProject(elsewhere);
    for (const stack of ['passphrase', 'dev-after-init', 'kms', 'esc', 'json-values']) {
      const { code, stderr } = await runCli(elsewhere, ['tables', '--stack', stack]);
      expect({ stack, code, stderr }).to.deep.equal({ stack, code: 0, stderr: '' });
    }
    await rm(elsewhere, { recursive: true });
  }).timeout(60_000);
});

const sets: readonly (readonly [string, string, SetOptions, (config: StackConfig) => unknown, unknown])[] = [
  ['aws:region', 'eu-west-1', {}, ({ region }) => region, 'eu-west-1'],
  ['tablewright:production', 'true', {}, ({ production }) => production, true],
  ['tablewright:production', 'true', { path: true }, ({ production }) => production, true],
  ['tablewright:account', '012345678901', {}, ({ account }) => account, '012345678901'],
  ['tablewright:systems', '["oms"]', {}, ({ systems }) => systems, ['oms']],
  ['tablewright:systems[0]', 'oms', { path: true }, ({ systems }) => systems, ['oms']],
  ['tablewright:nameSuffix.always', '2', { path: true }, ({ nameSuffix }) => nameSuffix, { always: '2' }],
  ['tablewright:tags.costCentre', '4711', { path: true }, ({ tags }) => tags, { costCentre: '4711' }],
  ['tablewright:tags.costCentre', '0815', { path: true }, ({ tags }) => tags, { costCentre: '0815' }],
  ['tablewright:pitr.enabled', 'true', { path: true }, ({ pitr }) => pitr, { enabled: true, recoveryDays: 35 }],
  ['tablewright:pitr.recoveryDays', '7', { path: true }, ({ pitr }) => pitr, { enabled: false, recoveryDays: 7 }],
  ['tablewright:budgets.read', '100', { path: true }, ({ budgets }) => budgets, { read: 100, write: 500 }],
  ['tablewright:budgets.write', '100', { path: true }, ({ budgets }) => budgets, { read: 500, write: 100 }],
  ['tablewright:alarms.readLatency.threshold', '0.5', { path: true }, (c) => c.alarms.readLatency, { threshold: 0.5 }],
  ['tablewright:alarms.ttlDeletions.from', '2027-01-31', { path: true }, (c) => c.alarms.ttlDeletions, { from: '2027-01-31' }],
  ['tablewright:tables["crypto-scan-history"].stream', 'NEW_IMAGE', { path: true }, (c) => c.tables, streaming()],
  ['tablewright:roles', '{}', { secret: true }, ({ roles, hidden }) => [roles, hidden], [{}, ['roles']]],
  ['tablewright:backups.schedule', 'x', { path: true, secret: true }, (c) => c.hidden, ['backups.schedule']],
  ['datadog:apiKey', 'x', { secret: true }, ({ hidden }) => hidden, []],
];

function streaming() {
  return { 'crypto-scan-history': { stream: 'NEW_IMAGE' } };
}

describe('pulumi config set', () => {
  for (const [key, value, options, of, expected] of sets) {
    const flags = Object.keys(options).map((flag) => `--${flag} `);
    it(`${flags.join('')}${key} ${value} is read, by the command line and the program alike`, () => {
      const file = configSet('config:\n  # kept\n  tablewright:dashboards: false\n', key, value, options);
      expect(file).to.contain('# kept').and.to.contain('tablewright:dashboards: "false"');
      const [line, program] = bothSides(file, (config) => withoutSecrets(config));
      expect(of(line as StackConfig)).to.deep.equal(expected);
      expect((line as StackConfig).dashboards).to.equal(false);
      if (options.secret !== true) expect(program).to.deep.equal(line);
    });
  }

  it('--path is read for every key that the schema has, by both sides as the value that was meant', () => {
    const singles = Object.entries(singleSamples).map(([path, value]) => nested(path, value));
    const all = [...singles, ...wholeSamples];
    const named = new Set(all.flatMap((settings) => namesIn(settings)));
    expect(schemaKeys(stackConfigSchema).filter((key) => !named.has(key))).to.deep.equal([]);
    for (const settings of all) {
      const lines = Object.entries(settings).flatMap(([name, value]) => configSetLines(`tablewright:${name}`, value));
      const start = 'encryptionsalt: v1:x\nconfig:\n  aws:region: us-east-1\n';
      const file = lines.reduce((text, [key, value]) => configSet(text, key, value, { path: true }), start);
      const meant = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`tablewright:${name}`, value]));
      const expected = parseStackConfig('qa', { 'aws:region': 'us-east-1', ...meant }, tables);
      expect(bothSides(file), file).to.deep.equal([expected, expected]);
    }
  });

  it('makes text of an unquoted day, which the program takes for the same day', () => {
    const written = parseStackConfig('qa', { 'tablewright:alarms': { ttlDeletions: { from: '2027-01-31' } } }, tables);
    const handed = '{"ttlDeletions":{"from":"2027-01-31 00:00:00 +0000 UTC"}}';
    expect(parseStackConfig('qa', { 'tablewright:alarms': handed }, tables)).to.deep.equal(written);
  });

  it('gives the program a decrypted number as text, which it takes for the number', () => {
    const plain = parseStackConfig('qa', { 'tablewright:budgets': { read: 7 } }, tables);
    expect(parseStackConfig('qa', { 'tablewright:budgets': '{"read":"7"}' }, tables)).to.deep.equal(plain);
  });
});

function nested(path: string, value: unknown): Readonly<Record<string, unknown>> {
  return path.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Readonly<Record<string, unknown>>;
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

/** Secrets as nothing at all: what the program gets instead of them is tested by itself. */
function withoutSecrets(config: unknown): unknown {
  return JSON.parse(JSON.stringify(config, (_, value) => (value?.secure === undefined ? value : undefined)));
}

describe('a stack file that cannot be read', () => {
  let broken = '';

  before(async () => {
    broken = await mkdtemp(join(tmpdir(), 'tablewright-stack-files-'));
    await linkProject(broken);
    await mkdir(join(broken, 'Pulumi.folder.yaml'));
    await writeFile(join(broken, 'Pulumi.binary.yaml'), new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 0xff, 0xfe, 0]));
    await writeFile(join(broken, 'Pulumi.dev.deploy.yaml'), 'settings: {}\n');
    await copyFile(join(folder, 'Pulumi.esc.yaml'), join(broken, 'Pulumi.esc.yaml'));
  });

  after(() => rm(broken, { recursive: true, force: true }));

  const cases: readonly (readonly [string, string, string])[] = [
    ['control characters', 'config:\n  a: \u0000\u0001\n', 'is no text: found a control character in line 2'],
    ['a sentence', 'nothing to see here', 'holds no settings: expected keys like config:, found something else'],
    ['a list', '- config\n', 'holds no settings: expected keys like config:, found something else'],
    ['a misspelled key', 'confg:\n  a: b\n', 'holds no settings: expected the key config, found confg'],
    ['a list of settings', 'config: [a]\n', 'holds no settings: expected keys and values under config:, found something else'],
  ];
  for (const [what, text, message] of cases) {
    it(`because it holds ${what} is refused in a sentence`, () => {
      const error = thrown(() => parseStackFile('Pulumi.qa.yaml', bytes(text)));
      expect([error.code, error.message, error.next]).to.deep.equal([
        'BAD_CONFIG',
        `Pulumi.qa.yaml ${message}`,
        'Correct Pulumi.qa.yaml.',
      ]);
    });
  }

  it('because it is binary is refused in a sentence', async () => {
    const { code, stderr } = await runCli(broken, ['tables', '--stack', 'binary']);
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr: 'BAD_CONFIG: Pulumi.binary.yaml is no text: expected UTF-8, found other bytes\n→ Correct Pulumi.binary.yaml.\n',
    });
  });

  it('because it is a folder is refused in a sentence', async () => {
    const error = await failureOf(readStack('folder', broken, tables, project));
    expect(error).to.include({ code: 'BAD_CONFIG', message: 'Pulumi.folder.yaml cannot be read (EISDIR)' });
  });

  it('because it is not there is told with the stacks that are; settings of Pulumi Deployments are none', async () => {
    const error = await failureOf(readStack('moon', broken, tables, project));
    expect(error).to.include({ code: 'UNKNOWN_NAME' });
    expect(error).to.have.property(
      'next',
      "Use one of local, binary, esc, folder. 'npx pulumi stack init moon' makes a new one.",
    );
  });

  it('because an environment may say whether it is production, and where, is refused with both keys', async () => {
    const text = await readFile(join(folder, 'Pulumi.esc.yaml'), 'utf8');
    await writeFile(join(broken, 'Pulumi.unseen.yaml'), text.replaceAll(/^ {2}(aws|tablewright):.*\n/gm, ''));
    const error = await failureOf(readStack('unseen', broken, tables, project));
    const why = 'expected in the file itself, because the command line cannot ask the environment that the file names';
    expect(error).to.have.deep.property('problems', [`aws:region: ${why}`, `tablewright:production: ${why}`]);
  });

  it('because its region is a secret is refused by name', () => {
    const error = thrown(() => parseStackConfig('qa', { 'aws:region': { secure: 'v1:x' } }, tables));
    expect(error.problems[0]).to.match(/^aws:region: expected a plain value, found a secret; /);
  });
});
