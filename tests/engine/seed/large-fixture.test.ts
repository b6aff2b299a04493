import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { readExactJson } from '../../../engine/cli/seed/exact-json.ts';
import { parseCsv } from '../../../engine/cli/seed/parse-csv.ts';
import { parseJsonArray, parseJsonLines } from '../../../engine/cli/seed/parse-json.ts';
import { readFixture } from '../../../engine/cli/seed/read-fixture.ts';
import { type DeclaredRow, ExactNumber } from '../../../engine/core/seed/declared-record.ts';
import type { BatchStore } from '../../../engine/core/write/batch-outcome.ts';
import { loadSet } from '../../../engine/run/seed/load-set.ts';
import { rowsAtOnce } from '../../../engine/run/seed/set-loader.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { client, omsConfig } from '../../../tables/oms/config.ts';
import { seedBench } from '../../support/seed-bench.ts';
import { useEngine } from '../../support/test-engine.ts';
import { textSource } from '../../support/text-source.ts';

const record = (number: number) => ({ client_id: `c${number}`, name: `Client ${number} ${'x'.repeat(100)}`, status: 'ACTIVE' });

async function entriesOf<T>(entries: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

/** Numbers as the texts that they are, so that values can be compared. */
function spelled(value: unknown): unknown {
  if (value instanceof ExactNumber) return { number: Number(value.text) };
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, spelled(member)]));
}
const numbered = (value: unknown): unknown => {
  if (typeof value === 'number') return { number: value };
  if (Array.isArray(value)) return value.map(numbered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbered(member)]));
};

describe('a large fixture', () => {
  it('of JSON is cut into its elements wherever its pieces end: each value, and the line of each of its parts', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
        fc.constantFrom(undefined, 1, 2),
        fc.integer({ min: 1, max: 40 }),
        async (list, indent, length) => {
          const text = JSON.stringify(list, null, indent);
          const entries = await entriesOf(parseJsonArray(textSource(text, length)));
          // JSON.parse has no minus zero to lose: texts of numbers are compared by value.
          expect(entries.map((entry) => ('value' in entry ? spelled(entry.value) : entry))).to.deep.equal(
            (JSON.parse(text) as unknown[]).map(numbered),
          );
          const whole = await entriesOf(parseJsonArray(textSource(text)));
          const lines = (all: typeof entries) => all.map((entry) => ('value' in entry ? entry.line([]) : entry));
          expect(lines(entries)).to.deep.equal(lines(whole));
        },
      ),
      { numRuns: 200 },
    ));

  it('names the line of a part of an element, and what is wrong with an array, as a parser of the whole does', async () => {
    const text = '[\n  {\n    "a": 1,\n    "b": [\n      2\n    ]\n  }\n]';
    const [entry] = await entriesOf(parseJsonArray(textSource(text, 3)));
    if (entry === undefined || !('value' in entry)) throw new Error('no entry');
    expect([entry.line([]), entry.line(['a']), entry.line(['b']), entry.line(['b', 0])]).to.deep.equal([2, 3, 4, 5]);
    for (const [wrong, line] of [
      ['[1,\n2', 2],
      ['[1,\n2,]', 2],
      ['[1]\n{}', 2],
      ['[1,\n\n{"a":}]', 3],
      ['[1 2]', 1],
      ['{}', 1],
      ['', 1],
    ] as const) {
      const problems = (await entriesOf(parseJsonArray(textSource(wrong, 2)))).filter((one) => 'message' in one);
      expect(
        problems.map((one) => one.line),
        wrong,
      ).to.deep.equal([line]);
    }
  });

  it('is read exactly, or not at all: every JSON text and no other, names that stand twice left to be told', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        expect(spelled(readExactJson(text)?.value)).to.deep.equal(numbered(JSON.parse(text)));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0aeE+-.1 tfn'), maxLength: 8 }), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const names = [...text.matchAll(/"([^"]*)"\s*:/g)].map(([, name]) => name);
        const twice = names.length !== new Set(names).size;
        if (!twice) expect(readExactJson(text) !== undefined, text).to.equal(isJson);
      }),
      { numRuns: 3_000 },
    );
    expect(readExactJson('{"a":1,"a":2}')).to.equal(undefined);
  });

  it('of lines or CSV gives the same wherever its pieces end', async () => {
    const lines = `\uFEFF{"a":"é\\n"}\n\n{"a":2}\r\n{"a":`;
    const csv = 'a,b\n"x\ny",1\nz,2\n';
    for (const length of [1, 2, 3, 7]) {
      const shown = (all: readonly (object & { readonly line: unknown })[]) =>
        all.map((one) => ('value' in one ? [spelled(one.value), (one.line as (path: readonly []) => number)([])] : one));
      expect(shown(await entriesOf(parseJsonLines(textSource(lines, length))))).to.deep.equal([
        [{ a: 'é\n' }, 1],
        [{ a: { number: 2 } }, 3],
        { line: 4, message: 'not valid JSON: ValueExpected' },
      ]);
      expect(shown(await entriesOf(parseCsv(textSource(csv, length))))).to.deep.equal([
        [{ a: 'x\ny', b: '1' }, 2],
        [{ a: 'z', b: '2' }, 4],
      ]);
    }
  });

  for (const extension of ['jsonl', 'json', 'csv']) {
    it(`is read row by row: what is alive does not grow with a ${extension} file`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tablewright-large-'));
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const rows = 30_000;
      try {
        const all = Array.from({ length: rows }, (_, number) => record(number));
        const text = {
          jsonl: () => all.map((one) => JSON.stringify(one)).join('\n'),
          json: () => JSON.stringify(all, null, 1),
          csv: () => `client_id,name,status\n${all.map((one) => Object.values(one).join()).join('\n')}`,
        }[extension];
        await writeFile(join(folder, `clients.${extension}`), text?.() ?? '');
        all.length = 0;
        const fixture = { kind: 'file', table: omsConfig, entity: client, path: `clients.${extension}` } as const;
        const alive: number[] = [];
        let read = 0;
        for await (const row of readFixture(fixture, { root: folder, folder })) {
          expect('problem' in row ? row.problem : '').to.equal('');
          read += 1;
          if (read % 5_000 !== 0) continue;
          collect();
          alive.push(process.memoryUsage().heapUsed);
        }
        expect(read).to.equal(rows);
        // The file has 4 MB and more; of 25,000 rows nothing is left.
        expect((alive.at(-1) ?? 0) - (alive[0] ?? 0)).to.be.below(1_500_000);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }).timeout(60_000);
  }

  describe('on an engine', () => {
    const engine = useEngine([omsConfig, ledger]);

    it('is loaded some rows at a time: no more are read than are being written', async () => {
      const bench = seedBench(engine());
      const count = 4 * rowsAtOnce + 7;
      let [read, stored, most] = [0, 0, 0];
      async function* declared(): AsyncGenerator<DeclaredRow> {
        for (let number = 0; number < count; number += 1) {
          read += 1;
          most = Math.max(most, read - stored);
          const place = { file: 'f', line: () => number, number };
          yield { place, table: omsConfig, entity: client, values: record(number), textual: false };
        }
      }
      const { batches } = bench.environment;
      const counted: BatchStore = {
        send: async (table, requests) => {
          const outcome = await batches.send(table, requests);
          if (table.name.startsWith('oms_config')) stored += requests.length;
          return outcome;
        },
      };
      const environment = { ...bench.environment, batches: counted };
      const options = { name: 'large', times: 'once', overwrite: false, prune: false, dryRun: false } as const;
      const source = { [Symbol.asyncIterator]: declared };
      const report = await loadSet(environment, { ...options, declared: source });
      expect(report).to.deep.include({ outcome: 'complete', counts: { created: count }, written: count, notWritten: 0 });
      expect(most).to.be.at.most(rowsAtOnce + 1);
      [read, stored] = [0, 0];
      const again = await loadSet(environment, { ...options, declared: source });
      expect(again).to.deep.include({ outcome: 'complete', counts: { unchanged: count }, written: 0 });
      bench.close();
    }).timeout(60_000);
  });
});
