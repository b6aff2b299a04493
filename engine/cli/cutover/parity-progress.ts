import type { ParityOptions } from '../../run/cutover/check-parity.ts';
import type { Context } from '../context.ts';
import { noProgress, showProgress } from '../show/progress.ts';

/** How far a check has got. A check prints one JSON value, so that with `--json` there is nothing beside it. */
export function parityProgress({ output, signal }: Context): ParityOptions & { readonly clear: () => void } {
  const progress = output.options.json ? noProgress : showProgress(output);
  return {
    signal,
    steadyMs: () => performance.now(),
    onProgress: ({ pattern, done, total }) => progress.update({ label: pattern, done, total, counted: 'values compared' }),
    clear: () => progress.clear(),
  };
}
