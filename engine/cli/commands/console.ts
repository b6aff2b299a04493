import { openConsole } from '../../console/open-console.ts';
import type { Action } from '../context.ts';
import { openWhatLoads } from '../migrate/open-migrations.ts';
import { openBrowser } from '../open-browser.ts';
import { untilAborted } from '../until-aborted.ts';
import type spec from './console.spec.js';

const showConsole: Action<typeof spec> = async (context, given) => {
  await using command = await openWhatLoads(context);
  const { stack, environment, sources } = command;
  const shown = await openConsole({ context, stack, environment, sources, allowWrites: given.allowWrites }, given.port);
  try {
    context.output.result(
      { event: 'console', link: shown.link, stack: stack.name },
      () => `Console   ${shown.link}\nCtrl-C stops it.`,
    );
    if (!given.noOpen) openBrowser(context, shown.link);
    await untilAborted(context.signal);
  } finally {
    await shown.close();
  }
  context.output.note({ event: 'stopped' }, 'Stopped.');
  return 0;
};

export default showConsole;
