import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import zlib from 'node:zlib';

/** Called with the name of what was reached for past the ports. It is told even where the caller swallows the error. */
export type Told = (name: string) => void;

/** What would make two runs of a seed differ, or happen outside of the scheduler. Dates of a given moment are no effect. */
const forbidden: readonly (readonly [object, string, readonly string[]])[] = [
  [globalThis, '', ['setTimeout', 'setInterval', 'setImmediate', 'fetch']],
  [Math, 'Math.', ['random']],
  [AbortSignal, 'AbortSignal.', ['timeout']],
  [performance, 'performance.', ['now']],
  [process, 'process.', ['hrtime', 'uptime', 'cpuUsage']],
  [globalThis.crypto, 'crypto.', ['randomUUID', 'getRandomValues']],
  [globalThis.crypto.subtle, 'crypto.subtle.', ['digest', 'encrypt', 'decrypt', 'sign', 'verify']],
  [perfHooks.performance, 'perf_hooks.performance.', ['now']],
  [timers, 'timers.', ['setTimeout', 'setInterval', 'setImmediate']],
  [timersPromises, 'timers/promises.', ['setTimeout', 'setInterval', 'setImmediate']],
  [
    nodeCrypto,
    'node:crypto.',
    ['randomBytes', 'randomInt', 'randomUUID', 'randomFill', 'pbkdf2', 'scrypt', 'hkdf', 'generateKey'],
  ],
  [
    zlib,
    'zlib.',
    ['deflate', 'deflateRaw', 'gzip', 'brotliCompress', 'inflate', 'inflateRaw', 'gunzip', 'unzip', 'brotliDecompress'],
  ],
  [zlib, 'zlib.', ['createDeflate', 'createDeflateRaw', 'createGzip', 'createInflate', 'createInflateRaw', 'createGunzip']],
];

/** Makes all of it throw until what it returns is called. */
export function forbidGlobals(told: Told): () => void {
  const undo = forbidden.flatMap(([target, prefix, names]) =>
    names.map((name) => replace(target, name, thrower(prefix + name, told))),
  );
  undo.push(replace(globalThis, 'Date', timelessDate(told)));
  syncBuiltinESMExports();
  return () => {
    for (const restore of undo.toReversed()) restore();
    syncBuiltinESMExports();
  };
}

function thrower(name: string, told: Told): () => never {
  return () => {
    told(name);
    throw new Error(`${name} was called in a simulation; effects go through ports`);
  };
}

function replace(target: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: own?.enumerable ?? true });
  return () => {
    // What was inherited is found again once our own is gone.
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}

/** Dates of a moment that is given; the present one is the simulation's alone to tell. */
function timelessDate(told: Told): DateConstructor {
  const now = thrower('Date.now', told);
  const present = thrower('new Date()', told);
  return new Proxy(Date, {
    construct: (target, given: []) => (given.length === 0 ? present() : new target(...given)),
    apply: thrower('Date()', told),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
