import { completionScripts } from '../complete/scripts.js';
import type { Action } from '../context.ts';
import type spec from './completion.spec.js';

const completion: Action<typeof spec> = async ({ common, output }, { shell }) => {
  const script = completionScripts[shell];
  // A script is to be read by a shell: nothing is folded or coloured.
  if (common.json) output.result({ shell, script }, () => script);
  else output.raw(script.trimEnd());
  return 0;
};

export default completion;
