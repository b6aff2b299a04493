import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { repository } from '../support/run-cli.ts';

describe('package.json', () => {
  it('stays below the releases of the AWS SDK that need Node 22', () => {
    const all = { ...packageJson.dependencies, ...packageJson.peerDependencies };
    const ranges = Object.entries(all).filter(([name]) => name.startsWith('@aws-sdk/'));
    expect(ranges).to.have.length.above(5);
    expect(ranges.filter(([, range]) => !range.endsWith(' <3.1190.0'))).to.deep.equal([]);
  });

  it('is tried in CI with every Node that it names and is maintained', async () => {
    const workflow = parse(await readFile(join(repository, '.github/workflows/ci.yml'), 'utf8')) as {
      readonly jobs: { readonly test: { readonly strategy: { readonly matrix: { readonly node: readonly number[] } } } };
    };
    const { test } = workflow.jobs;
    expect(packageJson.engines.node).to.equal('>=20.19');
    expect(test.strategy.matrix.node).to.deep.equal([20, 22, 24]);
    expect(JSON.stringify(test)).to.contain('.ci/run').and.to.contain('matrix.node');
    expect(await readFile(join(repository, '.ci/run'), 'utf8')).to.match(/^step npm test --silent$/m);
    expect(packageJson.scripts.test).to.contain("'tests/**/*.test.ts'");
  });
});
