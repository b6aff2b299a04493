/** Plays the seeds that it is sent, one after the other: forked by `workers.ts`, with the name of a plant or none. */
import { register } from 'node:module';
import { plantOf } from './plants.ts';

const [, , plant] = process.argv;
if (plant !== undefined) {
  const root = new URL('../../', import.meta.url);
  const edits = plantOf(plant).edits.map(({ file, find, replace }) => ({ url: new URL(file, root).href, find, replace }));
  register('./plant-hooks.js', import.meta.url, { data: { edits } });
}
// After the hooks: what is loaded before them has no fault in it.
const { runSeed } = await import('./run-seed.ts');

let last: Promise<unknown> = Promise.resolve();
process.on('message', (seed: number) => {
  last = last.then(async () => process.send?.(await runSeed(seed)));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
