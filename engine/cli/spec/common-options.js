import { option } from './command.js';
import { oneWordOf, onOff, stackName, url } from './values.js';

/** The options of every command; `reach` says which commands each applies to, all when left out. */
export const commonOptions = {
  stack: option({ type: stackName, default: 'local', help: 'the stack: local, or one that has a Pulumi.<name>.yaml' }),
  endpoint: option({ type: url, help: 'a DynamoDB-compatible server to use instead of AWS or an engine on this machine' }),
  engine: option({
    type: oneWordOf(/** @type {const} */ (['dynoxide', 'dynamodb-local'])),
    help: 'the engine of the local stack (default: that of its data, else what this machine has)',
  }),
  json: option({ type: onOff, help: 'results and progress as JSON lines' }),
  quiet: option({ type: onOff, help: 'print results and errors only' }),
  noColor: option({ type: onOff, help: 'no colours; NO_COLOR and FORCE_COLOR in the environment are heeded, too' }),
  debug: option({ type: onOff, help: 'print stack traces' }),
  help: option({ type: onOff, help: 'this text' }),
};

/** Alone: there is no command that goes with it. */
export const versionOption = option({ type: onOff, help: 'the version of tablewright' });

/** Common options that not every command takes. @type {Readonly<Record<string, readonly import('./command-spec.ts').Reach[]>>} */
export const reachOfCommon = { stack: ['stack', 'store'], endpoint: ['store'], engine: ['store'] };

/**
 * @param {string} name
 * @param {import('./command-spec.ts').CommandSpec} spec
 */
export function commonApplies(name, spec) {
  return reachOfCommon[name]?.includes(spec.reach) ?? true;
}
