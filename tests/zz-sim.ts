import { runSeed } from './simulation/run-seed.ts';

const [from = 1, to = 100] = process.argv.slice(2).map(Number);
let bad = 0,
  gaps = 0;
const started = Date.now();
for (let seed = from; seed <= to; seed += 1) {
  const lines: string[] = [];
  try {
    const r = await runSeed(seed, (line) => void lines.push(line));
    const damaged = lines.some((l) => /damage|is gone|has lost|something else/.test(l) && /JOURNAL#/.test(l));
    const v = r.violations[0];
    if (v === undefined) continue;
    if (/JOURNAL_GAP/.test(v.what) && damaged) {
      gaps += 1;
      continue;
    }
    bad += 1;
    console.log(seed, JSON.stringify(v).slice(0, 500));
  } catch (e) {
    bad += 1;
    console.log(seed, 'THREW', (e as Error).stack?.slice(0, 900));
  }
}
console.log({ from, to, bad, gaps, ms: Date.now() - started });
process.exit(0);
