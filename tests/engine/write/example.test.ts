import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import { parseStackConfig } from '../../../tables/model/stack/stack-config.ts';
import * as operations from '../../../tables/operations.ts';
import { tables } from '../../support/project.ts';
import { repository } from '../../support/run-cli.ts';
import { useEngine } from '../../support/test-engine.ts';

const page = readFileSync(join(repository, 'docs/operations.md'), 'utf8');

describe('docs/operations.md', () => {
  const engine = useEngine([]);

  it('shows what its example prints', async () => {
    const config = parseStackConfig('dev', {}, tables);
    const own = tables.filter(({ system }) => system === 'markets' || system === 'tablewright');
    for (const table of own) await ensureTable({ store: engine().environment.store, config, sleep }, table);
    const args = ['--import', 'tsx', 'examples/fill-order.ts', engine().endpoint];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: repository });
    const [, shown = ''] = /\$ npx tsx examples\/fill-order\.ts\n([^`]*)```/.exec(page) ?? [];
    expect([stdout, stderr]).to.deep.equal([shown, '']);
  }).timeout(60_000);

  it('lists every operation with its invariant', () => {
    const rows = new Map(
      [...page.matchAll(/^\| `(\w+\.\w+)` \| (.*) \| .* \|$/gm)].map(([, name = '', invariant]) => [name, invariant]),
    );
    const wanted = Object.values(operations).map(({ name, invariant }) => [name, invariant] as const);
    expect(wanted.filter(([name, invariant]) => rows.get(name) !== invariant)).to.deep.equal([]);
  });
});
