import { type Clock, systemClock } from '../../engine/run/capacity/clock.ts';

/** The system's time, for runs that tests cut off in the middle: what beats on for them does not keep the process alive. */
export const mortalClock: Clock = {
  ...systemClock,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
