import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { PageStore } from '../../../engine/core/store/store.ts';
import type { BlobStore } from '../../../engine/core/transfer/blob-store.ts';
import type { FileCodec } from '../../../engine/core/transfer/codec.ts';
import { printItem } from '../../../engine/core/transfer/export-line.ts';
import type { RawItem } from '../../../engine/core/transfer/split-answer.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { exportTable } from '../../../engine/run/transfer/export-table.ts';
import { busiestSecond } from '../../support/busiest-second.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTable } from '../../support/fake-table.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

/** Files in memory: nothing here takes any time but the table. */
function memoryBlobs(): BlobStore {
  const files = new Map<string, Uint8Array>();
  return {
    place: 'memory',
    write: async (name, bytes) => {
      files.set(name, bytes);
      return { etag: '' };
    },
    read: async (name) => {
      const bytes = files.get(name);
      return bytes === undefined
        ? undefined
        : (async function* () {
            yield bytes;
          })();
    },
    list: async (prefix) =>
      [...files].filter(([name]) => name.startsWith(prefix)).map(([name, bytes]) => ({ name, bytes: bytes.length })),
    remove: async (names) => {
      for (const name of names) files.delete(name);
    },
  };
}

function digest() {
  const hash = createHash('md5');
  return { update: (bytes: Uint8Array) => void hash.update(bytes), base64: () => hash.digest('base64') };
}

const codec: FileCodec = {
  packer: () => {
    const hash = digest();
    return {
      add: async (text) => hash.update(text),
      finish: async () => ({ bytes: new Uint8Array(), md5: hash.base64() }),
    };
  },
  unpack: (chunks) => chunks,
  md5: digest,
};

interface Server {
  /** What a page takes, by the units that it cost. */
  readonly pageMs: (units: number, random: () => number) => number;
  /** One page after the other, as the embedded engine does it; else each by itself, as DynamoDB does. */
  readonly oneByOne: boolean;
}

const embedded = (ms: number): Server => ({ oneByOne: true, pageMs: (_, random) => ms * (0.8 + 0.4 * random()) });
const amazon: Server = { oneByOne: false, pageMs: (units, random) => 4 + units * 0.6 + 6 * random() };

/** An export of so many seconds' worth of units, by a command that may use so many a second. */
async function exportAt(rate: number, itemBytes: number, server: Server, seconds: number) {
  const clock = new FakeClock();
  const random = seededRandom(rate);
  const segments = 4;
  let busyUntilMs = 0;
  const latencyMs = (): number => {
    const ms = server.pageMs(rate / 21, random);
    if (!server.oneByOne) return ms;
    busyUntilMs = Math.max(busyUntilMs, clock.steadyMs()) + ms;
    return busyUntilMs - clock.steadyMs();
  };
  // Every segment reads all items of the table here.
  const items = Math.ceil((rate * seconds * 8_192) / itemBytes / segments);
  const table = new FakeTable(clock, { items, bytes: () => itemBytes, latencyMs });
  const store: PageStore<RawItem> = {
    scan: async (request) => {
      const page = await table.scan(request);
      return { ...page, items: page.items.map(printItem) };
    },
  };
  const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
  const exporting = exportTable(
    {
      store,
      target: memoryBlobs(),
      codec,
      gates: new CapacityGates({ unitsPerSecond: rate }, clock),
      clock,
      nowMs: () => clock.steadyMs(),
      randomId: () => '00000000',
      random,
      sleep,
    },
    { tableName: 't', tableArn: 'arn', segments, consistent: false, options: '{}', remarks: {} },
  );
  const result = await clock.drive(exporting);
  expect(result).to.include({ outcome: 'complete', items: items * segments });
  const units = table.effects.reduce((sum, effect) => sum + effect.units, 0);
  const times = table.effects.map(({ atMs }) => atMs);
  const lasted = (Math.max(...times) - Math.min(...times)) / 1_000;
  return { used: units / lasted / rate, busiest: busiestSecond(table.effects) / rate };
}

describe('an export within a read budget', function () {
  this.timeout(60_000);
  const servers: readonly (readonly [string, Server])[] = [
    ['DynamoDB', amazon],
    ...[5, 25, 40, 60].map((ms) => [`an engine that takes ${ms} ms for every page`, embedded(ms)] as const),
  ];
  for (const [name, server] of servers) {
    it(`uses 95 % of it and more from the first page to the last, and no second has more than 110 %: ${name}`, async () => {
      for (const rate of [100, 300, 1_000]) {
        for (const itemBytes of [300, 3_000]) {
          const { used, busiest } = await exportAt(rate, itemBytes, server, 25);
          expect(used, `--rate ${rate}, items of ${itemBytes} bytes`).to.be.at.least(0.95);
          expect(busiest, `--rate ${rate}, items of ${itemBytes} bytes`).to.be.at.most(1.1);
        }
      }
    });
  }
});
