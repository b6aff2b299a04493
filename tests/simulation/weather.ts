import type { Random } from '../../engine/core/seed/random.ts';
import type { RetryCause } from '../../tables/model/error.ts';

/** How often requests meet what, in a thousand, and how long they take. */
export interface Weather {
  readonly throttled: number;
  readonly lostRequest: number;
  readonly lostAnswer: number;
  readonly serverError: number;
  readonly doubled: number;
  /** A part of a batch is refused, or left unprocessed. */
  readonly partly: number;
  /** A transaction meets another one. */
  readonly conflict: number;
  /** Takes up to `maxSlowMs` one way, where others take up to `maxMs`. */
  readonly slow: number;
  readonly maxMs: number;
  readonly maxSlowMs: number;
}

export const calm: Weather = {
  throttled: 0,
  lostRequest: 0,
  lostAnswer: 0,
  serverError: 0,
  doubled: 0,
  partly: 0,
  conflict: 0,
  slow: 0,
  maxMs: 10,
  maxSlowMs: 10,
};

/** Some days everything goes wrong, on others only some of it does. */
export function drawWeather(random: Random): Weather {
  const rate = (most: number): number => (random.chance(400) ? 0 : random.below(most + 1));
  return {
    throttled: rate(120),
    lostRequest: rate(40),
    lostAnswer: rate(60),
    serverError: rate(40),
    doubled: rate(40),
    partly: rate(150),
    conflict: rate(60),
    slow: rate(100),
    maxMs: random.pick([5, 20, 100]),
    maxSlowMs: random.pick([200, 1_000, 2_000]),
  };
}

/** What becomes of one request. `lost`: it did its work, or did not, and no answer comes. */
export type Fate =
  | { readonly kind: 'answered' | 'doubled' }
  | { readonly kind: 'refused'; readonly cause: 'throttled' | 'server-error' }
  | { readonly kind: 'lost'; readonly served: boolean; readonly cause: Extract<RetryCause, 'connection' | 'no-answer'> };

export function drawFate(weather: Weather, random: Random): Fate {
  const cause = random.pick(['connection', 'no-answer'] as const);
  if (random.chance(weather.throttled)) return { kind: 'refused', cause: 'throttled' };
  if (random.chance(weather.serverError)) return { kind: 'refused', cause: 'server-error' };
  if (random.chance(weather.lostRequest)) return { kind: 'lost', served: false, cause };
  if (random.chance(weather.lostAnswer)) return { kind: 'lost', served: true, cause };
  return { kind: random.chance(weather.doubled) ? 'doubled' : 'answered' };
}

/** One way. */
export function drawLatencyMs({ slow, maxMs, maxSlowMs }: Weather, random: Random): number {
  return 1 + random.below(random.chance(slow) ? maxSlowMs : maxMs);
}
