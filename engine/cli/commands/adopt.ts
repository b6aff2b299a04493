import { join, relative, resolve } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { plural } from '../../core/show/numbers.ts';
import type { DeployedTable } from '../../core/tables/deployed-table.ts';
import { type ImportFile, importFile, tableType, unregistered } from '../../core/tables/import-file.ts';
import { type Adoption, planAdoption } from '../../core/tables/plan-adoption.ts';
import { twoDeployments } from '../../core/tables/remedies.ts';
import { writeFile } from '../../local/write-file.ts';
import { bootProgram } from '../adopt/boot-program.ts';
import { findTables } from '../adopt/find-tables.ts';
import type { Action } from '../context.ts';
import { localStack } from '../local-stack.ts';
import { withStack } from '../open-stack.ts';
import type spec from './adopt.spec.js';

const adopt: Action<typeof spec> = (context, { to, retained }) =>
  withStack(context, {}, async (stack) => {
    refuseLocal(stack.name);
    const lacks = (await stack.lacks(context.signal)) ?? new Set();
    const found = await findTables(context, stack, { lacks, retained });
    const adoptions = [...found].map(([table, there]) => planAdoption(table, stack.config, there));
    refuseLosses(stack.name, adoptions);
    const physical = adoptions.flatMap(({ outcome, physical: name }) => (outcome === 'created' ? [] : [name]));
    if (physical.length === 0) {
      context.output.result({ stack: stack.name, adoptions: adoptions.map(told) }, () => nothingThere(stack.name));
      return 0;
    }
    context.output.note({ event: 'boot' }, 'Running the Pulumi program to see what it registers …');
    const listed = await bootProgram(context.root, stack.config, context.signal);
    refuseUnregistered(unregistered(listed, physical));
    const path = to === undefined ? join(context.root, `adopt-${stack.name}.json`) : resolve(context.cwd, to);
    const there = [...found.values()].filter((one) => one !== undefined);
    const file = importFile(listed, there);
    await writeFile(path, `${JSON.stringify(file, null, 2)}\n`);
    const shown = relative(context.root, path) || path;
    const commands = commandsFor(stack.name, shown, adoptions);
    context.output.result({ stack: stack.name, file: path, adoptions: adoptions.map(told), commands }, () =>
      [...describe(stack.config, adoptions, file, shown), ...notLookedAt(there), ...runLines(commands)].join('\n'),
    );
    return 0;
  });

function refuseLocal(stack: string): void {
  if (stack !== localStack) return;
  throw new TablewrightError('BAD_ARGUMENT', 'the local stack is not deployed by Pulumi, so there is nothing to adopt', {
    next: 'Name the stack that the tables are to belong to, as in: tablewright adopt --stack dev',
  });
}

/** All of them together, before anything is written: a stack that is half adopted would create tables that exist. */
function refuseLosses(stack: string, adoptions: readonly Adoption[]): void {
  const problems = adoptions.flatMap(({ physical, refusals }) => refusals.map((refusal) => `${physical}: ${refusal}`));
  if (problems.length === 0) return;
  throw new TablewrightError('DANGEROUS_CHANGE', `tables of the stack ${stack} cannot be adopted as they are`, {
    problems,
    next: `Do what each line says, then run 'tablewright adopt --stack ${stack}' again; nothing was changed and no file was written.`,
  });
}

function refuseUnregistered(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new TablewrightError('BAD_CONFIG', 'the Pulumi program does not register tables that the catalogue has', {
    problems: names.map((name) => `${name}: expected a table of this name, found none`),
    next: 'Deploy the same catalogue that the command line reads: see docs/infrastructure.md.',
  });
}

const nothingThere = (stack: string): string =>
  `No table of the stack ${stack} exists, so there is nothing to adopt.\n→ npx pulumi up -s ${stack} creates them.`;

/** A table's line of the result; its settings for two deployments are among the commands. */
const told = ({ around: _, ...adoption }: Adoption): Omit<Adoption, 'around'> => adoption;

function commandsFor(stack: string, file: string, adoptions: readonly Adoption[]): readonly string[] {
  const around = adoptions.flatMap((adoption) => adoption.around);
  return [
    `npx pulumi import --file ${file} --protect=false --generate-code=false --yes -s ${stack}`,
    ...(around.length === 0 ? [`npx pulumi up -s ${stack}`] : twoDeployments(stack, around)),
    `npx tablewright doctor --stack ${stack}`,
  ];
}

function describe(
  { stack, ephemeral }: StackConfig,
  adoptions: readonly Adoption[],
  { resources }: ImportFile,
  file: string,
): readonly string[] {
  const adopted = adoptions.filter(({ outcome }) => outcome !== 'created').length;
  const lines = adoptions.flatMap(({ physical, outcome, changes, byHand }) => [
    `${physical}: ${outcome === 'same' ? 'same as the catalogue' : outcome === 'created' ? 'is not there and will be created' : 'changed in place'}`,
    ...(outcome === 'changed' ? changes.map((change) => `  - ${change}`) : []),
    ...byHand.map((line) => `    ${line}`),
  ]);
  return [
    ...lines,
    '',
    `${plural(adopted, 'table')} of the stack ${stack} can be adopted; nothing is replaced, items stay.`,
    ...hanging(resources),
    ephemeral
      ? 'Each is encrypted with AWS’s own key from then on.'
      : 'Each is encrypted with the stack’s key from then on; keep the one it has now as long as there are backups of it.',
    'The preview of Pulumi lists indexes by their place, so it may look as if some were swapped: what changes is above.',
    `${file} has ${plural(resources.length, 'entry', 'entries')}.`,
  ];
}

const runLines = (commands: readonly string[]): readonly string[] => ['Run:', ...commands.map((command) => `  ${command}`)];

/** A server that is not AWS may not have what hangs on tables. */
function notLookedAt(there: readonly DeployedTable[]): readonly string[] {
  const unknown = [
    ...(there.some(({ attachments }) => attachments.scaling === undefined) ? ['scaling'] : []),
    ...(there.some(({ attachments }) => attachments.insights === undefined) ? ['Contributor Insights'] : []),
  ];
  return unknown.length === 0 ? [] : [`Not offered by this server, so not looked at: ${unknown.join(', ')}.`];
}

/** What comes along with the tables. */
function hanging(resources: ImportFile['resources']): readonly string[] {
  const count = resources.filter(({ type, component }) => type !== tableType && component !== true).length;
  return count === 0
    ? []
    : [`${plural(count, 'entry', 'entries')} more for what hangs on them: scaling and Contributor Insights.`];
}

export default adopt;
