import { importRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { statisticsPrefix } from '../../../tables/model/stack/config/storage.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { nativeEnvironment } from '../../cli/transfer/native-environment.ts';
import { openPlace, s3Place } from '../../cli/transfer/open-place.ts';
import { ownBackups } from '../../cli/transfer/own-backups.ts';
import { stackBucket } from '../../cli/transfer/stack-bucket.ts';
import type { Feature } from '../../core/store/features.ts';
import { exportsFolder, summaryFile } from '../../core/transfer/export-layout.ts';
import { LedgerStore } from '../../run/ledger/ledger-store.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import type { TransfersAnswer, Trouble } from '../wire-types.ts';

type Describe = (error: unknown) => Trouble;

/** What was moved and what is kept; a part that cannot be had says why and leaves the others alone. */
export async function transfersAnswer(environment: ConsoleEnvironment, describe: Describe): Promise<TransfersAnswer> {
  const { stack, context } = environment;
  const lacks = await stack.lacks(context.signal);
  const orTrouble = <T>(ask: () => Promise<T>): Promise<T | Trouble> => ask().catch(describe);
  const ifOffered = <T>(feature: Feature, ask: () => Promise<T>): Promise<T | Trouble> =>
    lacks?.has(feature) === true ? Promise.resolve(notOffered(feature)) : orTrouble(ask);
  const [imports, backups, recovery, exports] = await Promise.all([
    importsOf(environment),
    ifOffered('backups', () => ownBackups(nativeEnvironment(context, stack), stack)),
    ifOffered('point-in-time recovery', () => recoveryOf(environment)),
    orTrouble(() => exportsOf(environment)),
  ]);
  // After the exports, which lie in the same bucket: on this machine it is made when it is first asked for.
  return { imports, backups, recovery, exports, archives: await orTrouble(() => archivesOf(environment)) };
}

const notOffered = (feature: Feature): Trouble => ({
  error: 'NOT_OFFERED',
  message: `This server does not offer ${feature}; AWS does.`,
  problems: [],
});

/** Of every table of the stack, as the ledger has them. */
async function importsOf({ stack, context }: ConsoleEnvironment): Promise<TransfersAnswer['imports']> {
  const store = new LedgerStore(stack.read);
  const { signal } = context;
  const found = await Promise.all(
    stack.tables.map((table) => store.list(importRecord, { table: physicalName(table, stack.config) }, { signal })),
  );
  return found
    .flat()
    .map(({ table, source, state, lines, written, deadLettered, updatedAt }) => ({
      ...{ table, source, state, lines, written, deadLettered, updatedAt },
    }))
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

async function recoveryOf({ stack, context }: ConsoleEnvironment) {
  const { native } = nativeEnvironment(context, stack);
  return Promise.all(
    stack.tables.map(async (one) => {
      const table = physicalName(one, stack.config);
      const { enabled, earliest, latest } = await native.pitr(table, context.signal);
      return { table, enabled, earliest: earliest ?? null, latest: latest ?? null };
    }),
  );
}

/** Where `export` puts them unless told otherwise, portable and native ones alike: each has a folder of its own. */
async function exportsOf({ stack, context }: ConsoleEnvironment) {
  const { store } = await openPlace(context, stack, s3Place(await stackBucket(stack, '--to'), 'exports/'));
  const folders = new Map<string, { id: string; folder: string; files: number; bytes: number; finished: boolean }>();
  for (const { name, bytes } of await store.list('', context.signal)) {
    const at = name.indexOf(`${exportsFolder}/`);
    const [id = '', ...rest] = at === -1 ? [] : name.slice(at + exportsFolder.length + 1).split('/');
    if (rest.length === 0) continue;
    const folder = name.slice(0, at + exportsFolder.length + 1 + id.length);
    const known = folders.get(folder) ?? { id, folder, files: 0, bytes: 0, finished: false };
    known.files += rest[0] === 'data' ? 1 : 0;
    known.bytes += rest[0] === 'data' ? bytes : 0;
    known.finished ||= rest[0] === summaryFile;
    folders.set(folder, known);
  }
  return { place: store.place, found: [...folders.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1)) };
}

async function archivesOf({ stack, context }: ConsoleEnvironment) {
  const { store } = await openPlace(context, stack, s3Place(await stackBucket(stack, '--to'), statisticsPrefix));
  const found = await store.list('', context.signal);
  const bytes = found.reduce((sum, entry) => sum + entry.bytes, 0);
  return { place: store.place, files: found.length, bytes, latest: found.at(-1)?.name ?? null };
}
