import { holdMemory } from '../engine/cli/hold-memory.js';

// As commands that stream do, before the rest is loaded.
holdMemory();
process.once('message', async ({ endpoint, items }: { endpoint: string; items: number }) => {
  const { writeGenerated } = await import('./write-generated.ts');
  const figures = await writeGenerated(endpoint, items);
  process.send?.(figures, () => process.exit(0));
});
