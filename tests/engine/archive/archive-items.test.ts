import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { pageStore } from '../../../engine/aws/transfer/page-store.ts';
import { conditionalWriteStore } from '../../../engine/aws/write/conditional-write-store.ts';
import { ageOf } from '../../../engine/core/archive/item-age.ts';
import type { BlobStore } from '../../../engine/core/transfer/blob-store.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../../engine/local/gzip-codec.ts';
import { archiveItems } from '../../../engine/run/archive/archive-items.ts';
import { type ArchivedDelete, removeArchived } from '../../../engine/run/archive/remove-archived.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';

import { exportTable } from '../../../engine/run/transfer/export-table.ts';
import { openExport } from '../../../engine/run/transfer/open-export.ts';
import { readLines } from '../../../engine/run/transfer/read-lines.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { mortalClock } from '../../support/mortal-clock.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { contentOf, exportEnvironment, exportRequest, itemsOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const table = plainTable('aged');
const tableName = physicalName(table, testConfig);
const cut = 1_700_000_000;
const old = Array.from({ length: 30 }, (_, at) => ({ id: { S: `old-${at}` }, created_at: { N: String(cut - 1 - at) } }));
const young = Array.from({ length: 12 }, (_, at) => ({ id: { S: `young-${at}` }, created_at: { S: '2024-05-01T00:00:00Z' } }));
const timeless: readonly Item[] = [{ id: { S: 'timeless' } }, { id: { S: 'odd' }, created_at: { S: 'long ago' } }];
const mostRequests = 400;

function mortality(limit: number) {
  const state = { requests: 0, dead: false };
  const mortal = <T extends object>(whole: T): T =>
    new Proxy(whole, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          state.requests += 1;
          state.dead ||= state.requests > limit;
          if (state.dead) throw new Error('gone');
          return (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { state, mortal };
}

describe('items archived by their age', () => {
  const engine = useEngine([table]);
  const folder = useFolder();
  type Around = <T extends object>(whole: T) => T;

  function run(target: BlobStore, remove: boolean, around: Around = (whole) => whole, onFile?: () => Promise<void>) {
    const place = around(target);
    let stopped = 0;
    const seenOf = (request: unknown) => (request as ArchivedDelete).archived;
    const deletes = conditionalWriteStore(engine().client, { kind: 'as-seen', seenOf }, () => {
      stopped += 1;
    });
    const removing = {
      deletes: around(deletes),
      stopped: () => stopped,
      table: { ...table, name: tableName },
      codec: gzipCodec,
      gates: unlimitedGates(),
      clock: mortalClock,
      random: () => 0,
    };
    return archiveItems(
      {
        target: place,
        codec: gzipCodec,
        nowMs: Date.now,
        exportOlder: ({ by, beforeSeconds }) =>
          exportTable(
            exportEnvironment(engine(), place, { store: around(pageStore(engine().client)) }),
            exportRequest(engine(), table, {
              segments: 2,
              options: String(beforeSeconds),
              shape: (item) => (ageOf(item, by, beforeSeconds) === 'older' ? item : undefined),
            }),
          ),
        removeItems: async (file) => {
          await onFile?.();
          return removeArchived(removing, file);
        },
      },
      { tableName, by: 'created_at', olderThan: '7d', beforeSeconds: cut, remove },
    );
  }

  async function fill(): Promise<void> {
    await engine().putRaw(table, [...old, ...young, ...timeless]);
  }

  async function archivedIn(directory: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const id of await readdir(join(directory, 'AWSDynamoDB'))) {
      const source = directoryBlobStore(join(directory, 'AWSDynamoDB', id));
      // What has no summary is no archive.
      if ((await source.list('manifest-summary.json')).length === 0) continue;
      const opened = await openExport({ source, parent: undefined, codec: gzipCodec });
      for (const file of opened.files) {
        for await (const lines of readLines(file, gzipCodec, 0)) {
          for (const { content } of lines) if (content?.kind === 'item') found.push(canonicalItem(content.item));
        }
      }
    }
    return found.toSorted();
  }

  const texts = (items: readonly Item[]) => items.map(canonicalItem).toSorted();

  it('are those before the moment; younger ones and those without a time stay out, and nothing is deleted unasked', async () => {
    await fill();
    const directory = join(folder(), 'kept');
    const result = await run(directoryBlobStore(directory), false);
    expect(result).to.include({ outcome: 'complete', items: 30, removed: 0 });
    expect(await archivedIn(directory)).to.deep.equal(texts(old));
    expect(await contentOf(engine(), table)).to.deep.equal(texts([...old, ...young, ...timeless]));
  });

  it('are deleted only as they were archived: one that changed meanwhile stays, with its change', async () => {
    await fill();
    const directory = join(folder(), 'changed');
    let files = 0;
    const result = await run(directoryBlobStore(directory), true, undefined, async () => {
      files += 1;
      if (files > 1) return;
      const change = { UpdateExpression: 'SET created_at = :t', ExpressionAttributeValues: { ':t': { N: '7' } } };
      await engine().client.send(new UpdateItemCommand({ TableName: tableName, Key: { id: { S: 'old-3' } }, ...change }));
    });
    expect(result).to.include({ outcome: 'complete', items: 30, removed: 29, kept: 1 });
    const left = await itemsOf(engine(), table);
    expect(texts(left)).to.deep.equal(texts([{ id: { S: 'old-3' }, created_at: { N: '7' } }, ...young, ...timeless]));
  });

  it('are not deleted when the archive cannot be read back', async () => {
    await fill();
    const directory = join(folder(), 'torn');
    const whole = directoryBlobStore(directory);
    const torn: BlobStore = {
      ...whole,
      write: async (name, bytes) => {
        const written = await whole.write(name, bytes);
        if (name.endsWith('.json.gz')) await writeFile(join(directory, name), bytes.subarray(0, bytes.length - 4));
        return written;
      },
    };
    const error = await run(torn, true).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'BAD_EXPORT' });
    expect(await contentOf(engine(), table)).to.deep.equal(texts([...old, ...young, ...timeless]));
  });

  it('are each in the table or in a readable archive, wherever the run is killed; the same command ends it', async () => {
    let kills = 0;
    for (let limit = 0; limit < mostRequests; limit += 1) {
      await fill();
      const directory = join(folder(), 'killed');
      await rm(directory, { recursive: true, force: true });
      const { state, mortal } = mortality(limit);
      await run(directoryBlobStore(directory), true, mortal).catch(() => undefined);
      if (!state.dead) break;
      kills += 1;
      const left = await itemsOf(engine(), table);
      const gone = old.filter(({ id }) => !left.some((item) => (item.id as { readonly S: string }).S === id.S));
      if (gone.length > 0) expect(await archivedIn(directory), `after ${limit} requests`).to.include.members([...texts(gone)]);
      const again = await run(directoryBlobStore(directory), true);
      expect(again, `after ${limit} requests`).to.include({ outcome: 'complete' });
      expect(await archivedIn(directory), `after ${limit} requests`).to.include.members([...texts(old)]);
      expect(await contentOf(engine(), table), `after ${limit} requests`).to.deep.equal(texts([...young, ...timeless]));
      expect(await readdir(directory)).to.deep.equal(['AWSDynamoDB']);
    }
    expect(kills).to.be.greaterThan(30);
  });

  it('with other options than an unfinished archive are refused', async () => {
    const directory = join(folder(), 'other');
    const plan = {
      tableName,
      by: 'updated_at',
      olderThan: '7d',
      beforeSeconds: 1,
      remove: true,
      startedAt: '2026-01-01T00:00:00Z',
    };
    const target = directoryBlobStore(directory);
    await target.write('_archive.json', Buffer.from(JSON.stringify({ ...plan, filesDone: 0, removed: 0, kept: 0 })));
    expect(await run(target, true).catch((reason: Error) => reason)).to.include({ code: 'CONFLICT' });
    expect(await readFile(join(directory, '_archive.json'), 'utf8')).to.contain('updated_at');
  });
});
