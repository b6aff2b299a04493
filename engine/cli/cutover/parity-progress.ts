import type { ParityOptions } from '../../run/cutover/check-parity.ts';
import type { Context } from '../context.ts';

/** Between two redraws of the line, in milliseconds. */
const redrawMs = 100;

/** One line at the terminal that says how far a check has got; nothing where there is no terminal. */
export function parityProgress({ output, common, signal }: Context): ParityOptions & { readonly clear: () => void } {
  const { terminal, writeError, columns } = output.options;
  if (!terminal || common.json || common.quiet) return { signal, clear: () => undefined };
  let drawnMs = 0;
  return {
    signal,
    onProgress: ({ pattern, done, total }) => {
      const nowMs = performance.now();
      if (nowMs - drawnMs < redrawMs) return;
      drawnMs = nowMs;
      writeError(`\r\x1b[K${`${pattern}: ${done} of ${total} values compared`.slice(0, columns - 1)}`);
    },
    clear: () => writeError('\r\x1b[K'),
  };
}
