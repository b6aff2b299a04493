/** aws-local-stepfunctions calls `Promise.withResolvers`, which came with Node 22. */
export function withResolvers(): void {
  const own = Promise as { withResolvers?: unknown };
  own.withResolvers ??= function resolvers<T>() {
    let resolve: (value: T | PromiseLike<T>) => void = () => undefined;
    let reject: (reason?: unknown) => void = () => undefined;
    const promise = new Promise<T>((done, failed) => {
      resolve = done;
      reject = failed;
    });
    return { promise, resolve, reject };
  };
}
