import { commands } from '../../engine/cli/commands/all.js';
import { type EngineName, engineNames } from '../../engine/local/choose-engine.ts';
import { type DynamoService, openDynamo } from '../../engine/local/local-engine.ts';

/** `TABLEWRIGHT_TEST_ENGINE=dynamodb-local npm test`: Amazon's engine in the embedded one's place. */
const named = process.env.TABLEWRIGHT_TEST_ENGINE;
export const testEngine: EngineName | undefined = engineNames.find((name) => name === named);
if (named !== undefined && testEngine === undefined) throw new Error(`TABLEWRIGHT_TEST_ENGINE: there is no engine ${named}`);

/** An engine in memory, of the kind that the tests run with. */
export function openTestDynamo(): Promise<DynamoService> {
  return openDynamo({ data: { kind: 'memory' }, engine: testEngine });
}

/** The arguments of a command, with the tests' engine where the command takes one. */
export function withTestEngine(args: readonly string[]): readonly string[] {
  const spec = commands.find(({ words }) => words.split(' ').every((word, at) => args[at] === word));
  const decided = ['--endpoint', '--engine', '--stack', '--help'].some((name) => args.includes(name));
  return testEngine === undefined || decided || spec?.reach !== 'store' ? args : [...args, '--engine', testEngine];
}
