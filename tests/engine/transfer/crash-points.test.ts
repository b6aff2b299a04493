import { join } from 'node:path';
import { expect } from 'chai';
import { batchWriteStore } from '../../../engine/aws/write/batch-write-store.ts';
import type { BlobStore } from '../../../engine/core/transfer/blob-store.ts';
import type { BatchStore } from '../../../engine/core/write/batch-outcome.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { systemClock } from '../../../engine/run/capacity/clock.ts';
import { exportTable } from '../../../engine/run/transfer/export-table.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { useEngine } from '../../support/test-engine.ts';
import {
  contentOf,
  exportEnvironment,
  exportRequest,
  exportTo,
  importFrom,
  itemsOf,
  plainTable,
  useFolder,
} from '../../support/transfer-bed.ts';

const itemCount = 300;
const source = plainTable('crash-source');
const target = plainTable('crash-target');
const mostWrites = 40;

/** After so many writes everything fails, as if the process were gone. Gives whether it came to that. */
function mortality(limit: number) {
  const state = { writes: 0, dead: false };
  const guard = async <T>(write: () => Promise<T>): Promise<T> => {
    if (state.dead) throw new Error('gone');
    state.writes += 1;
    state.dead = state.writes > limit;
    if (state.dead) throw new Error('gone');
    return write();
  };
  return { state, guard };
}

describe('a transfer that ends between any two writes', () => {
  const engine = useEngine([source, target, ledger]);
  const folder = useFolder();

  before(async () => {
    const items = Array.from({ length: itemCount }, (_, at) => ({ id: { S: `item-${at}` }, n: { N: String(at) } }));
    await engine().putRaw(source, items);
  });

  it('is no export until its last write, and is completed by the next run without reading finished segments again', async () => {
    let crashes = 0;
    for (let limit = 0; limit < mostWrites; limit += 1) {
      const directory = join(folder(), `export-${limit}`);
      const whole = directoryBlobStore(directory);
      const { state, guard } = mortality(limit);
      const mortal: BlobStore = { ...whole, write: (name, bytes) => guard(() => whole.write(name, bytes)) };
      const request = exportRequest(engine(), source, { fileBytes: 1 });
      await exportTable(exportEnvironment(engine(), mortal), request).catch(() => undefined);
      if (!state.dead) break;
      crashes += 1;
      const names = (await whole.list('')).map((entry) => entry.name);
      expect(names.filter((name) => name.endsWith('manifest-summary.json'))).to.deep.equal([]);
      const { result } = await exportTo(engine(), source, directory, { fileBytes: 1 });
      expect(result, `after ${limit} writes`).to.include({ outcome: 'complete', items: itemCount });
    }
    expect(crashes).to.be.greaterThan(10);
  });

  it('leaves an import that goes on behind its checkpoint and loses nothing', async () => {
    const { place } = await exportTo(engine(), source, join(folder(), 'import'), { fileBytes: 1 });
    const batches = batchWriteStore(engine().client);
    let crashes = 0;
    for (let limit = 0; limit < mostWrites; limit += 1) {
      const { state, guard } = mortality(limit);
      const { store } = engine().environment;
      const mortal = {
        ...store,
        transact: (request: Parameters<typeof store.transact>[0]) => guard(() => store.transact(request)),
      };
      const writes: BatchStore = { send: (table, requests) => guard(() => batches.send(table, requests)) };
      // Checkpoints as often as can be: after every few batches.
      const clock = { ...systemClock, after: (ms: number, work: () => void) => systemClock.after(Math.min(ms, 3), work) };
      const around = { store: mortal, writes, clock, concurrency: 1 };
      await importFrom(engine(), target, place, { again: true, verify: 'none' }, around).catch(() => undefined);
      if (!state.dead) break;
      crashes += 1;
      const { result } = await importFrom(engine(), target, place);
      expect(result, `after ${limit} writes`).to.include({ outcome: 'complete', lines: itemCount });
      expect(result.verified).to.include({ differing: 0, compared: itemCount });
    }
    expect(crashes).to.be.greaterThan(10);
    expect(await contentOf(engine(), target)).to.deep.equal(await contentOf(engine(), source));
  });

  it('is not gone on with by a run while another one lives', async () => {
    const directory = join(folder(), 'owned');
    const whole = directoryBlobStore(directory);
    const { guard } = mortality(4);
    const mortal: BlobStore = { ...whole, write: (name, bytes) => guard(() => whole.write(name, bytes)) };
    await exportTable(exportEnvironment(engine(), mortal), exportRequest(engine(), source)).catch(() => undefined);
    const [owner] = (await whole.list('')).filter((entry) => entry.name.endsWith('owner.json'));
    const environment = exportEnvironment(engine(), whole, {
      sleep: async () => void (await whole.write(owner?.name ?? '', Buffer.from('another 2'))),
    });
    const error = await exportTable(environment, exportRequest(engine(), source)).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'CONFLICT', exitCode: 3 });
  });

  it('stops with exit 3 when another run has taken the import over', async () => {
    const { place } = await exportTo(engine(), source, join(folder(), 'fenced'));
    const batches = batchWriteStore(engine().client);
    const tableName = 'crash-target-test';
    const stolen: BatchStore = {
      send: async (table, requests) => {
        const records = (await itemsOf(engine(), ledger)).filter((item) => (item.PK as { S: string }).S.endsWith(tableName));
        await engine().putRaw(
          ledger,
          records.map((record) => ({ ...record, token: { N: '99' } })),
        );
        return batches.send(table, requests);
      },
    };
    const error = await importFrom(engine(), target, place, {}, { writes: stolen }).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'CONFLICT', exitCode: 3 });
  });
});
