import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const newSpace = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
export function holdMemory() {
  const semi = Number(process.env.SEMI ?? 1);
  const grow = process.env.GROW ?? '40';
  if (semi > 1) {
    const keep = [];
    let i = 0;
    while (newSpace() < semi * 2 ** 20 && i < 3e6) { keep[i++ % 20000] = { a: i, b: [i] }; if (i % 5000 === 0) newSpace(); }
    process.stderr.write(`semi ${newSpace()} after ${i}\n`);
  }
  if (semi >= 0) setFlagsFromString('--semi-space-growth-factor=1');
  if (grow !== '0') setFlagsFromString(`--heap-growing-percent=${grow}`);
}
