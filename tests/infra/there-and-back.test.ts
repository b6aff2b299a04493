import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { deployProject } from '../../infra/program.ts';
import { shapeOf } from '../../tables/model/shape/shape.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { runMocked } from './support/mocked-run.ts';
import { deploymentSteps, refusals, summary } from './support/provider-check.ts';
import type { Registered } from './support/registered.ts';
import { changedFile, changedTables, documentedSettings, settingChanges } from './support/setting-changes/all.ts';
import type { SettingChange } from './support/setting-changes/change.ts';
import type { Settings } from './support/stack-file.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const boots = new Map<string, Promise<readonly Registered[]>>();

const project = { catalogue: changedTables, released: shapeOf(changedTables), allowed: [] };

/** A boot of the whole program; the same settings only once. */
function booted(stack: string, own: Settings): Promise<readonly Registered[]> {
  const settings = changedFile(stack, own);
  const id = `${stack} ${JSON.stringify(settings)}`;
  const promise = boots.get(id) ?? runMocked(stack, settings, () => deployProject(project)).then(({ resources }) => resources);
  boots.set(id, promise);
  return promise;
}

/** The last deployment of a way; where it needs another between, the direct way must be refused for the reason given. */
async function way(
  stack: string,
  from: Settings,
  to: Settings,
  between: SettingChange['betweenThere'],
): Promise<readonly string[]> {
  const [before, after] = [await booted(stack, from), await booted(stack, to)];
  const direct = deploymentSteps(before, after);
  if (between === undefined) {
    expect(refusals(direct)).to.deep.equal([]);
    return summary(direct);
  }
  expect(refusals(direct)).not.to.have.length(0);
  for (const text of refusals(direct)) expect(text).to.match(between.refused);
  const middle = await booted(stack, between.settings);
  expect(refusals(deploymentSteps(before, middle)), 'the first of two deployments').to.deep.equal([]);
  const second = deploymentSteps(middle, after);
  expect(refusals(second), 'the second of two deployments').to.deep.equal([]);
  return summary(second);
}

describe('a setting that is changed and changed back', function () {
  this.timeout(bootTimeoutMs);

  for (const { keys, stack, from = {}, to, there, back, betweenThere, betweenBack } of settingChanges) {
    it(`${keys.join(', ')} in ${stack}: ${JSON.stringify(to)}`, async () => {
      expect(await way(stack, from, to, betweenThere), 'there').to.have.members(there);
      expect(await way(stack, to, from, betweenBack), 'back').to.have.members(back);
    });
  }

  it('in two deployments where one would be refused, and docs/infrastructure.md has the commands of both', () => {
    const lines = page('infrastructure.md')
      .split('\n')
      .map((line) => line.trim());
    const between = settingChanges.flatMap(({ betweenThere, betweenBack }) => [betweenThere ?? [], betweenBack ?? []].flat());
    expect(between).to.have.length.greaterThan(5);
    for (const { commands } of between) expect(lines).to.include.members([...commands]);
  });

  it('is every setting that docs/configuration.md names', () => {
    const documented = documentedSettings();
    expect(documented.size).to.be.greaterThan(50);
    const covered = new Set(settingChanges.flatMap(({ keys }) => keys));
    expect([...documented].filter((key) => !covered.has(key))).to.deep.equal([]);
    expect([...covered].filter((key) => !documented.has(key))).to.deep.equal([]);
  });
});
