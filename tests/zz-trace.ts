import { runSeed } from './simulation/run-seed.ts';

const [seed = 5] = process.argv.slice(2).map(Number);
const pattern = new RegExp(process.argv[3] ?? 'x');
const r = await runSeed(seed, (line) => {
  if (pattern.test(line)) process.stdout.write(`${line.slice(0, 600)}\n`);
});
console.log(r.violations);
process.exit(0);
