import { setFlagsFromString } from 'node:v8';

/**
 * For commands that go over tables of any size: what they keep is small and what they throw away is much. Left alone V8 lets the
 * space for new objects grow to 48 MB, and the rest to several times what is alive, before it collects. It costs some tens of
 * microseconds for an item. Only before the rest of the program is loaded: what has grown stays.
 */
export function holdMemory() {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=80');
}
