import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { pageStore } from '../../../engine/aws/transfer/page-store.ts';
import { conditionalWriteStore } from '../../../engine/aws/write/conditional-write-store.ts';
import { ageOf } from '../../../engine/core/archive/item-age.ts';
import type { BlobStore } from '../../../engine/core/transfer/blob-store.ts';
import { parseItem } from '../../../engine/core/transfer/export-line.ts';
import type { BatchStore } from '../../../engine/core/write/batch-outcome.ts';
import { bodyOf } from '../../../engine/core/write/write-request.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../../engine/local/gzip-codec.ts';
import { archiveItems } from '../../../engine/run/archive/archive-items.ts';
import type { ArchivedDelete } from '../../../engine/run/archive/delete-unchanged.ts';
import { itemRemoval, type RemoveEnvironment } from '../../../engine/run/archive/remove-archived.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { exportTable } from '../../../engine/run/transfer/export-table.ts';
import { openExport } from '../../../engine/run/transfer/open-export.ts';
import { readLines } from '../../../engine/run/transfer/read-lines.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { mortalClock } from '../../support/mortal-clock.ts';
import { mortality } from '../../support/mortality.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { contentOf, exportEnvironment, exportRequest, itemsOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const table = plainTable('aged');
const tableName = physicalName(table, testConfig);
const cut = 1_700_000_000;
const old = Array.from({ length: 30 }, (_, at) => ({ id: { S: `old-${at}` }, created_at: { N: String(cut - 1 - at) } }));
const young = Array.from({ length: 12 }, (_, at) => ({ id: { S: `young-${at}` }, created_at: { S: '2024-05-01T00:00:00Z' } }));
const timeless: readonly Item[] = [{ id: { S: 'timeless' } }, { id: { S: 'odd' }, created_at: { S: 'long ago' } }];
const mostRequests = 400;

describe('items archived by their age', () => {
  const engine = useEngine([table]);
  const folder = useFolder();
  type Around = <T extends object>(whole: T) => T;

  interface Change {
    readonly around?: Around;
    /** Between the archive and the deletes of its first file. */
    readonly onFile?: () => Promise<void>;
    /** Between the look at an item and its delete. */
    readonly onDelete?: (key: Item) => Promise<void>;
    /** When the answer to a delete is there. */
    readonly onDeleted?: (key: Item) => Promise<void>;
    /** What puts items back. */
    readonly puts?: BatchStore;
  }

  function run(target: BlobStore, remove: boolean, change: Change = {}) {
    const { around = (whole) => whole, onFile, onDelete, onDeleted, puts } = change;
    const place = around(target);
    const { client } = engine();
    const removing: RemoveEnvironment = {
      deletes: (hooks) => {
        const archivedOf = (request: unknown) => (request as ArchivedDelete).archived;
        const told = async (request: unknown, deleted: Item) => {
          await onDeleted?.(deleted);
          await hooks.onDeleted(archivedOf(request), deleted);
        };
        const condition = { kind: 'as-seen', seenOf: archivedOf, onDeleted: told } as const;
        const inner = conditionalWriteStore(client, condition, hooks.onStopped);
        const send: BatchStore['send'] = async (to, requests) => {
          for (const request of requests) await onDelete?.(bodyOf(request));
          return inner.send(to, requests);
        };
        return around({ send });
      },
      puts: (onTaken) => puts ?? around(conditionalWriteStore(client, { kind: 'skip-existing' }, onTaken)),
      read: { store: around(dynamoStore(client)), gates: unlimitedGates(), sleep: async () => undefined, random: () => 0 },
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
            exportEnvironment(engine(), place, { store: around(pageStore(client)) }),
            exportRequest(engine(), table, {
              segments: 2,
              options: String(beforeSeconds),
              shape: (item) => (ageOf(item, by, beforeSeconds) === 'older' ? item : undefined),
            }),
          ),
        removal: (archive) => {
          const { begin, remove: removeFile } = itemRemoval(removing, archive);
          let files = 0;
          return {
            begin,
            remove: async (file) => {
              files += 1;
              if (files === 1) await onFile?.();
              return removeFile(file);
            },
          };
        },
      },
      { tableName, by: 'created_at', olderThan: '7d', beforeSeconds: cut, remove },
    );
  }

  const update = (id: string, name: string, value: AttributeValue) =>
    engine().client.send(
      new UpdateItemCommand({
        TableName: tableName,
        Key: { id: { S: id } },
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );

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

  /** What the archive holds beside its files. */
  async function lateIn(directory: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { name } of await directoryBlobStore(directory).list('AWSDynamoDB/')) {
      if (!name.includes('/late/')) continue;
      found.push(canonicalItem(parseItem(tableName, await readFile(join(directory, name)))));
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
    const onFile = async () => {
      await update('old-3', 'created_at', { N: '7' });
      // An attribute that was not there: no condition on what was archived could see it.
      await update('old-4', 'note', { S: 'new' });
    };
    const result = await run(directoryBlobStore(directory), true, { onFile });
    expect(result).to.include({ outcome: 'complete', items: 30, removed: 28, kept: 2, late: 0 });
    const changed = [
      { id: { S: 'old-3' }, created_at: { N: '7' } },
      { ...old[4], note: { S: 'new' } },
    ] as readonly Item[];
    expect(texts(await itemsOf(engine(), table))).to.deep.equal(texts([...changed, ...young, ...timeless]));
  });

  it('that get an attribute between the look at them and their delete are put back with it', async () => {
    await fill();
    const directory = join(folder(), 'raced');
    const note = { S: 'just now' };
    const onDelete = async ({ id }: Item) => void (await update((id as { S: string }).S, 'note', note));
    const result = await run(directoryBlobStore(directory), true, { onDelete });
    expect(result).to.include({ outcome: 'complete', items: 30, removed: 0, kept: 30, late: 0 });
    const noted = old.map((item) => ({ ...item, note }));
    expect(await contentOf(engine(), table)).to.deep.equal(texts([...noted, ...young, ...timeless]));
    expect(await lateIn(directory)).to.deep.equal([]);
  });

  it('that cannot be put back because another item has their key lie in the archive with what they got', async () => {
    await fill();
    const directory = join(folder(), 'taken');
    const successor = { id: { S: 'old-5' }, created_at: { S: '2026-01-01T00:00:00Z' } };
    const is5 = ({ id }: Item) => (id as { S: string }).S === 'old-5';
    const result = await run(directoryBlobStore(directory), true, {
      onDelete: async (key) => void (is5(key) && (await update('old-5', 'note', { S: 'last words' }))),
      onDeleted: async (item) => void (is5(item) && (await engine().putRaw(table, [successor]))),
    });
    expect(result).to.include({ outcome: 'complete', items: 30, removed: 30, kept: 0, late: 1 });
    expect(await lateIn(directory)).to.deep.equal(texts([{ ...(old[5] as Item), note: { S: 'last words' } }]));
    expect(await contentOf(engine(), table)).to.deep.equal(texts([successor, ...young, ...timeless]));
  });

  it('that a run could not put back any more are put back by the next', async () => {
    await fill();
    const target = directoryBlobStore(join(folder(), 'raced-and-killed'));
    const isNoted = (id: string) => Number(id.slice(4)) % 5 === 0;
    const onDelete = async ({ id }: Item) => {
      const { S: name } = id as { S: string };
      if (isNoted(name)) await update(name, 'note', { S: name });
    };
    const error = new TablewrightError('STORE_FAILED', 'no more puts');
    const dead = await run(target, true, { onDelete, puts: { send: async () => ({ kind: 'fatal', error }) } }).catch(
      (reason: Error) => reason,
    );
    expect(dead).to.equal(error);
    const late = await lateIn(join(folder(), 'raced-and-killed'));
    expect(late).not.to.have.lengthOf(0);
    const left = texts(await itemsOf(engine(), table));
    expect(left).not.to.include.members([...late]);
    expect(await run(target, true)).to.include({ outcome: 'complete', items: 30, late: 0 });
    expect(await lateIn(join(folder(), 'raced-and-killed'))).to.deep.equal([]);
    const noted = texts(await itemsOf(engine(), table)).filter((text) => text.includes('"note"'));
    expect(noted).to.deep.equal(late);
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
      await run(directoryBlobStore(directory), true, { around: mortal }).catch(() => undefined);
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
