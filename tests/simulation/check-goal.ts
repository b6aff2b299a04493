import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { canonicalItem, keyIdentity, sameValue } from '../../tables/model/canonical.ts';
import { showKey } from '../../tables/model/item.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { ledgerKeys } from '../../tables/model/ledger/ledger-keys.ts';
import { literalPrefix } from '../../tables/model/template.ts';
import type { JudgedMigration, JudgedStep, Verdict } from './content.ts';
import type { ItemTrack } from './item-history.ts';
import { stateOf } from './play-episode.ts';
import { nameOf, type World } from './world.ts';

/** After a migrate that came to its end: all is verified, and all is right. */
export function checkUp(world: World): void {
  const { report } = world.oracle.evidence;
  for (const judged of world.migrations) {
    const { id } = judged.migration;
    const state = stateOf(world, id);
    if (state?.state !== 'verified') report('every command ends as it should', `${id} is ${state?.state} after migrate was done`);
    for (const step of judged.steps) {
      for (const item of world.server.table(nameOf(step.table)).present()) {
        if (!world.oracle.ledger.needsWork(step, item) || isLate(world, step, item)) continue;
        report(
          'verified means verified',
          `${id} is verified, and ${showKey(step.table, item)} is not right: ${canonicalItem(item)}`,
        );
      }
    }
    checkCounts(world, judged);
  }
  const dead = world.server.table(nameOf(ledger)).present().filter(isDeadLetter);
  if (dead.length > 0) report('verified means verified', `all is verified, and there are ${dead.length} dead letters`);
}

/** A rollback's write that was delivered again, after the lock had gone on. */
function isLate(world: World, { table }: JudgedStep, item: Item): boolean {
  return world.oracle.evidence.history.of({ table: nameOf(table), identity: keyIdentity(table.key, item) }).late;
}

const isDeadLetter = ({ SK }: Item): boolean => (scalarText(SK) ?? '').startsWith(literalPrefix(ledgerKeys.deadLetter.SK));

/** Where nobody else wrote, the counts are those of an undisturbed run, whatever befell the runners. */
function checkCounts(world: World, { migration, steps }: JudgedMigration): void {
  const state = stateOf(world, migration.id);
  if (state === undefined || state.generation > 1 || world.isDisturbed || world.isDamaged || world.wasRolledBack) return;
  const expected = { changed: 0, right: 0, expired: 0, foreign: 0, dead: 0, gone: 0 };
  for (const step of steps) {
    for (const item of world.originals(nameOf(step.table))) expected[countOf(step.verdictOn(item).kind)] += 1;
  }
  // An insert's own items may be met by its scan.
  const checked = Object.entries(expected).filter(
    ([name]) => name !== 'foreign' || steps.every(({ writes }) => writes.length > 0),
  );
  const wrong = checked.filter(([name, count]) => state.counts[name as keyof typeof expected] !== count);
  if (wrong.length === 0) return;
  const what = wrong.map(([name, count]) => `${name} ${state.counts[name as keyof typeof expected]}, expected ${count}`);
  world.oracle.evidence.report('counts are right', `${migration.id}: ${what.join('; ')}`);
}

function countOf(kind: Verdict['kind']): 'changed' | 'right' | 'expired' | 'foreign' | 'dead' {
  if (kind === 'change' || kind === 'insert') return 'changed';
  return kind === 'poison' ? 'dead' : kind;
}

/** After a rollback that came to its end: what nobody else wrote is as it was. */
export function checkDown(world: World): void {
  const { report, history } = world.oracle.evidence;
  for (const { migration, steps } of world.migrations) {
    const state = stateOf(world, migration.id)?.state;
    if (state !== undefined && state !== 'rolled-back') {
      report('every command ends as it should', `${migration.id} is ${state} after rollback was done`);
    }
    for (const step of steps) {
      for (const [identity, track] of history.ofTable(nameOf(step.table))) {
        const now = world.server.table(nameOf(step.table)).get(identity);
        if (isOriginal(step, track, now)) continue;
        // What is missing of the journal cannot be restored, but somebody was told so.
        if (world.hasGaps && world.lost.has(`${nameOf(step.table)} ${identity}`)) continue;
        report('rollback gives the original', `${migration.id}: ${identity} was ${shown(track.original)}, is ${shown(now)}`);
      }
    }
  }
  // From here on, what was kept is what there was.
  for (const step of world.migrations.flatMap((one) => one.steps)) {
    const table = nameOf(step.table);
    for (const [identity, track] of history.ofTable(table)) history.startOver(track, world.server.table(table).get(identity));
  }
}

const shown = (item: Item | undefined): string => (item === undefined ? 'nothing' : canonicalItem(item));

/** As it was, in what the step writes; or an application has written that since, or a write came late. */
function isOriginal({ writes }: JudgedStep, { original, written, late }: ItemTrack, now: Item | undefined): boolean {
  if (late || written.has('*') || writes.some((name) => written.has(name))) return true;
  if (writes.length === 0) return original !== undefined || now === undefined || written.size > 0;
  return writes.every((name) => sameValue(original?.[name], now?.[name]));
}
