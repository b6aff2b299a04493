import { forkCompiled } from './fork-compiled.ts';
import { openServer } from './load/run-process.ts';

export interface MemoryFigures {
  readonly items: number;
  readonly peakMegabytes: number;
  /** What the process had before the first item: Node, the SDK, the compiled sources. */
  readonly idleMegabytes: number;
  readonly seconds: number;
}

const items = 1_000_000;

/** A million generated items in a process of their own, against a server that takes everything at once. */
export async function measureMemory(say: (text: string) => void): Promise<MemoryFigures> {
  say(`memory for ${items.toLocaleString('en')} generated items`);
  const stub = await openServer({ kind: 'stub' });
  try {
    const child = forkCompiled('memory-process.ts');
    return await new Promise<MemoryFigures>((resolve, reject) => {
      child.once('message', (figures) => resolve(figures as MemoryFigures));
      child.once('exit', (code) => reject(new Error(`the memory bench ended with code ${code}`)));
      child.send({ endpoint: stub.endpoint, items });
    });
  } finally {
    stub.close();
  }
}

export function printMemory({ items: count, peakMegabytes, idleMegabytes, seconds }: MemoryFigures): string {
  return (
    `memory for ${count.toLocaleString('en')} generated items: peak ${peakMegabytes.toFixed(0)} MB, ` +
    `${idleMegabytes.toFixed(0)} MB of it before the first (${seconds.toFixed(0)} s)`
  );
}
