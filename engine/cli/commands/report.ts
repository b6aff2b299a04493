import { dirname, join, relative, resolve } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { reportPage } from '../../core/migrate/report-page.ts';
import { withOptionFile } from '../../local/file-problem.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { writeFile } from '../../local/write-file.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import type { Action } from '../context.ts';
import { openWhatLoads } from '../migrate/open-migrations.ts';
import { resolveKnown } from '../migrate/resolve-id.ts';
import { localDirectory } from '../open-stack.ts';
import type spec from './report.spec.js';

const report: Action<typeof spec> = async (context, given) => {
  await using command = await openWhatLoads(context);
  const id = await resolveKnown(command, given.migration);
  const reader = new LedgerReader(command.environment);
  const state = await reader.state(id);
  if (state === undefined) {
    throw new TablewrightError('BAD_ARGUMENT', `${id} was never run on this stack, so there is nothing to report`, {
      next: `Run 'tablewright migrate --to ${id}' first.`,
    });
  }
  const migration = command.sources.find((source) => source.migration.id === id)?.migration;
  const steps = (migration?.steps ?? []).map((step, at) => ({
    step: at,
    name: step.name,
    kind: step.kind,
    segments: 0,
    done: true,
  }));
  const [segments, timelines, history, dead] = await Promise.all([
    reader.allSegments(id),
    reader.timelines(id),
    reader.history(id),
    reader.dead(id),
  ]);
  const page = reportPage({ stack: command.stack.name, state, steps, segments, timelines, history, dead });
  const usual = join(localDirectory(context.root), 'reports', `${command.stack.name}-${id}.html`);
  const path = given.out === undefined ? usual : resolve(context.root, given.out);
  const write = async () => {
    await makeFolder(dirname(path));
    await writeFile(path, page);
  };
  await (given.out === undefined ? write() : withOptionFile('--out', given.out, write));
  const shown = relative(context.root, path);
  context.output.result({ migration: id, file: shown }, () => `Wrote ${shown}; open it in a browser.`);
  return 0;
};

export default report;
