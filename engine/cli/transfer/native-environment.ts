import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { logsClient } from '../../aws/command-clients.ts';
import { nativeStore } from '../../aws/transfer/native-store.ts';
import { jobMemory } from '../../local/job-memory.ts';
import type { NativeEnvironment, NativeEvent } from '../../run/transfer/native/native-environment.ts';
import type { Context } from '../context.ts';
import { localDirectory, type OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { type Progress, showProgress } from '../show/progress.ts';

/** What the native calls need, from an open stack and this process. */
export function nativeEnvironment(
  context: Context,
  stack: OpenStack,
  pollMs?: number,
): NativeEnvironment & { readonly progress: Progress } {
  const progress = showProgress(context.output);
  return {
    progress,
    native: nativeStore(stack.client, () =>
      logsClient({ region: stack.config.region, endpoint: stack.endpoint, patience: stack.patience }),
    ),
    store: stack.store,
    config: stack.config,
    memory: jobMemory(join(localDirectory(context.root), `jobs-${stack.name}.json`)),
    sleep,
    steadyMs: () => performance.now(),
    token: randomUUID,
    signal: context.signal,
    pollMs,
    onEvent: (event) => tell(context, progress, event),
  };
}

function tell(context: Context, progress: Progress, event: NativeEvent): void {
  if (event.kind === 'started') context.output.note({ event: 'job-started', arn: event.arn }, `Started ${event.arn}`);
  else if (event.kind === 'picked-up') context.output.note({ event: 'job-picked-up', arn: event.arn }, `Picked up ${event.arn}`);
  else if (event.kind === 'left') {
    const { arn, why } = event;
    context.output.note({ event: 'job-left', arn, why }, `Not waiting for ${arn}: ${why}. Starting another one.`);
  } else if (event.kind === 'put-back') {
    context.output.note({ event: 'put-back', what: event.what }, `Put back: ${event.what}`);
  } else {
    const { what, status, elapsedMs, detail } = event;
    const remarks = detail === '' ? [status] : [status, detail];
    progress.update({ label: what, done: Math.round(elapsedMs / 1_000), counted: 'seconds', remarks });
  }
}
