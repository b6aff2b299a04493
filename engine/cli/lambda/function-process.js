// What Lambda's runtime does with a function, in a process of its own: imports the module, hands events to its handler one after the
// other, each with a deadline, and gives the answers. Whoever invokes it decides when it is enough: a terminal tells all of its
// processes of Ctrl-C.
for (const name of /** @type {const} */ (['SIGINT', 'SIGHUP'])) process.on(name, () => undefined);
process.on('disconnect', () => process.exit(1));

/** @type {(message: { module: string, event: unknown, endMs: number }) => Promise<void>} */
const invoke = async ({ module, event, endMs }) => {
  const answer = await import(module)
    .then(({ handler }) => handler(event, { getRemainingTimeInMillis: () => endMs - Date.now() }))
    // Text, as Lambda has it: what JSON does not hold does not come back.
    .then((result) => ({ result: JSON.stringify(result ?? null) }))
    .catch((error) => {
      console.error(error);
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
      return { error: { name, message } };
    });
  process.send?.(answer);
};

process.on('message', (message) => void invoke(/** @type {Parameters<typeof invoke>[0]} */ (message)));
