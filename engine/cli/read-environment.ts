import { setTimeout } from 'node:timers/promises';
import { sha256 } from '../local/sha256.ts';
import type { ReadEnvironment } from '../run/read/read-pattern.ts';
import type { OpenStack } from './open-stack.ts';

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, signal === undefined ? {} : { signal });
}

/** What the reader needs, from an open stack and this process. */
export function readEnvironment(stack: OpenStack): ReadEnvironment {
  return { store: stack.store, tables: stack.tables, names: stack.config, sleep, random: Math.random, digest: sha256 };
}
