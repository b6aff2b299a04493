/** After so many requests everything fails, as if the process were gone. */
export function mortality(limit: number) {
  const state = { requests: 0, dead: false };
  const mortal = <T extends object>(whole: T): T =>
    new Proxy(whole, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          state.requests += 1;
          state.dead ||= state.requests > limit;
          if (state.dead) throw new Error('gone');
          return (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { state, mortal };
}
