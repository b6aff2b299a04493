import { TablewrightError } from '../../../tables/model/error.ts';
import { type BlobStore, readText } from '../../core/transfer/blob-store.ts';
import { ownerFile } from '../../core/transfer/export-layout.ts';
import type { Clock } from '../capacity/clock.ts';

/** How often the owner shows that it lives. */
export const ownerBeatMs = 1_000;

/** The run that works on an export: its mark lies in the export's folder and moves while it lives. */
export class ExportOwner {
  readonly #folder: BlobStore;
  readonly #clock: Clock;
  readonly #run: string;
  #beats = 0;
  #cancel: (() => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: BlobStore, clock: Clock, run: string) {
    this.#folder = folder;
    this.#clock = clock;
    this.#run = run;
  }

  async take(): Promise<void> {
    await this.#beat();
    this.#schedule();
  }

  async check(): Promise<void> {
    const mark = await readText(this.#folder, ownerFile);
    if (mark?.startsWith(`${this.#run} `)) return;
    throw taken(this.#folder.place);
  }

  /** Stops the beat; a clean end says so, so that the next run need not wait. */
  async release(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#last;
  }

  /** Leaves the mark of a run that ended by itself. */
  async leave(): Promise<void> {
    await this.release();
    await this.#folder.write(ownerFile, Buffer.from('none 0'));
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(ownerBeatMs, () => {
      // A beat that fails shows as one that is missing: the next record's check decides.
      this.#last = this.#beatIfMine()
        .catch(() => undefined)
        .then(() => {
          if (this.#cancel !== undefined) this.#schedule();
        });
    });
  }

  async #beatIfMine(): Promise<void> {
    await this.check();
    await this.#beat();
  }

  async #beat(): Promise<void> {
    this.#beats += 1;
    await this.#folder.write(ownerFile, Buffer.from(`${this.#run} ${this.#beats}`));
  }
}

/** Waits until it is sure that no other run works on the export; throws when one does. */
export async function untilUnowned(folder: BlobStore, wait: () => Promise<void>): Promise<void> {
  const before = await readText(folder, ownerFile);
  if (before === undefined || before.startsWith('none ')) return;
  await wait();
  if ((await readText(folder, ownerFile)) === before) return;
  throw taken(folder.place);
}

function taken(place: string): TablewrightError {
  return new TablewrightError('CONFLICT', `${place}: another run works on this export`, {
    next: 'Wait for it, or stop it; then run the same command again to go on where it ended.',
  });
}
