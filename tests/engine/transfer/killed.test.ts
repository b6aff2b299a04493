import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { repository } from '../../support/run-cli.ts';
import { useEngine } from '../../support/test-engine.ts';
import { contentOf, exportTo, importFrom, plainTable, useFolder } from '../../support/transfer-bed.ts';

const itemCount = 600;
const source = plainTable('killed-source');
const exportPoints = [2, 4, 7, 11];
const importPoints = [1, 5, 13, 22];
const targets = importPoints.map((point) => plainTable(`killed-target-${point}`));

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly answer: Readonly<Record<string, unknown>> | undefined;
}

/** Runs the worker to its end, whichever way that comes. */
function work(...args: readonly string[]): Promise<Ended> {
  const script = join(repository, 'tests/support/transfer-worker.ts');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code !== 0 && signal === null) reject(new Error(errors));
      else resolve({ signal, answer: out === '' ? undefined : JSON.parse(out) });
    });
  });
}

describe('a transfer that is killed with SIGKILL', () => {
  const engine = useEngine([source, ledger, ...targets]);
  const folder = useFolder();

  before(async () => {
    const items = Array.from({ length: itemCount }, (_, at) => ({ id: { S: `item-${at}` }, pad: { S: 'p'.repeat(at % 60) } }));
    await engine().putRaw(source, items);
  });

  for (const [at, point] of exportPoints.entries()) {
    const when = at % 2 === 0 ? 'before' : 'after';
    it(`${when} write ${point} of an export leaves no export, and the next run completes it`, async () => {
      const directory = join(folder(), `export-${point}`);
      const killed = await work('export', engine().endpoint, directory, source.name, String(point), when);
      expect(killed.signal, 'the worker was to die').to.equal('SIGKILL');
      const left = await readdir(directory, { recursive: true }).catch(() => []);
      const isLast = left.some((name) => name.endsWith('manifest-summary.json'));
      expect(isLast, 'no summary before all data is there').to.equal(false);
      const { result, place } = await exportTo(engine(), source, directory, { fileBytes: 2_000 });
      expect(result).to.include({ outcome: 'complete', items: itemCount });
      const exportsThere = await readdir(join(directory, 'AWSDynamoDB'));
      // A run that died before its plan was there could not be gone on with; it left an empty folder.
      expect(exportsThere).to.have.length(
        point <= 2 && left.length > 1 && !left.some((name) => name.endsWith('plan.json')) ? 2 : 1,
      );
      const target = targets[at % targets.length] as (typeof targets)[number];
      const { result: imported } = await importFrom(engine(), target, place);
      expect(imported).to.include({ outcome: 'complete' });
      expect(await contentOf(engine(), target)).to.deep.equal(await contentOf(engine(), source));
    });
  }

  for (const [at, point] of importPoints.entries()) {
    const when = at % 2 === 0 ? 'after' : 'before';
    const threads = at < 2 ? 1 : 3;
    it(`${when} write ${point} of an import${threads > 1 ? ` with ${threads} threads` : ''} goes on where it was`, async () => {
      const target = targets[at] as (typeof targets)[number];
      const { place } = await exportTo(engine(), source, join(folder(), `import-${point}`), { fileBytes: 2_000 });
      const killed = await work('import', engine().endpoint, place, target.name, String(point), when, String(threads));
      expect(killed.signal, 'the worker was to die').to.equal('SIGKILL');
      const { result } = await importFrom(engine(), target, place);
      expect(result).to.include({ outcome: 'complete', lines: itemCount });
      expect(result.verified).to.include({ compared: itemCount, differing: 0 });
      expect(await contentOf(engine(), target)).to.deep.equal(await contentOf(engine(), source));
    });
  }
});
