import { expect } from 'chai';
import { Output } from '../../../engine/cli/output.ts';
import { lineEveryMs, showProgress } from '../../../engine/cli/show/progress.ts';
import { progressParts } from '../../../engine/cli/show/progress-text.ts';
import { textWidth } from '../../../engine/cli/show/text-width.ts';

const units = { kind: 'WCU', perSecond: 9_120, budget: 10_000 } as const;
const state = { label: 'backfill colours', done: 410_000, total: 1_000_000, units, throttles: 3, remarks: ['2 dead letters'] };
const rate = { perSecond: 4_870, etaSeconds: 121 };

/** A display on a screen of which the test holds the width and the clock. */
function display(given: { readonly terminal: boolean; readonly json?: boolean; readonly quiet?: boolean }) {
  const shown = { columns: 80, nowMs: 0, text: '' };
  const write = (text: string): void => {
    shown.text += text;
  };
  const errors = {
    terminal: given.terminal,
    get columns() {
      return shown.columns;
    },
  };
  const output = new Output({ json: given.json ?? false, quiet: given.quiet ?? false, write, writeError: write, errors });
  return { shown, output, progress: showProgress(output, () => shown.nowMs) };
}

describe('the bar of progress', () => {
  it('has all there is to say where there is room', () => {
    expect(progressParts(state, rate, 160)).to.equal(
      '██████████░░░░░░░░░░░░░░ backfill colours 41% 410,000 of 1,000,000 items, 4,870/s, 9,120 WCU/s of 10,000, 3 throttled, 2 dead letters, 2 min 1 s left',
    );
  });

  it('keeps what matters most within any width: how far, then the time left, then the rate', () => {
    expect(progressParts(state, rate, 79)).to.equal(
      '██████░░░░░░░░░ backfill colours 41% 410,000 of 1,000,000 items, 2 min 1 s left',
    );
    for (let width = 20; width <= 160; width += 1) expect(textWidth(progressParts(state, rate, width))).to.be.at.most(width);
  });

  it('cuts a long label before it leaves out the rate and the time left', () => {
    const exported = {
      ...state,
      label: 'export crypto-backtest-results-dev',
      done: 1_136,
      total: 3_102,
      roughly: true,
      remarks: [],
    };
    const shown = progressParts(exported, { perSecond: 120, etaSeconds: 17 }, 79);
    expect(shown).to.equal('███░░░░░ export crypto-backte… 36% 1,136 of about 3,102 items, 120/s, 17 s left');
    expect(progressParts(exported, { perSecond: 120, etaSeconds: 17 }, 130)).to.contain(
      ' export crypto-backtest-results-dev 36%',
    );
    for (let width = 20; width <= 160; width += 1) expect(textWidth(progressParts(exported, rate, width))).to.be.at.most(width);
  });

  it('does not say that all is done by an old count', () => {
    expect(progressParts({ label: 'x', done: 10, total: 10, roughly: true }, rate, 80)).to.contain('99% 10 of about 10');
  });

  it('is drawn over itself, and takes away the rows that a narrower window made of it', () => {
    const { shown, progress } = display({ terminal: true });
    progress.update(state);
    expect(shown.text).to.match(/^\r\x1b\[J█/);
    shown.text = '';
    shown.columns = 40;
    shown.nowMs += 1_000;
    progress.update(state);
    expect(shown.text).to.match(/^\x1b\[1A\r\x1b\[J/);
    expect(textWidth(shown.text.replace(/^\x1b\[1A\r\x1b\[J/, ''))).to.be.below(40);
  });

  it('makes way for what is printed meanwhile', () => {
    const { shown, output, progress } = display({ terminal: true });
    progress.update(state);
    shown.text = '';
    output.note({ event: 'message' }, 'one table done');
    output.error({ error: 'X' }, 'and a mistake');
    expect(shown.text).to.equal('\r\x1b[Jone table done\nand a mistake\n');
    shown.text = '';
    progress.update(state);
    expect(shown.text).to.match(/^\r\x1b\[J█/);
  });

  it('tells each reason for slowness once, on a line of its own', () => {
    const { shown, progress } = display({ terminal: true });
    const slow = { kind: 'budget', text: 'slow: the budget of 100 units/s is used up' };
    for (let round = 0; round < 5; round += 1) {
      shown.nowMs += 1_000;
      progress.update({ ...state, slow });
      progress.update({ ...state, slow: undefined });
    }
    progress.update({ ...state, slow: { kind: 'refused', text: 'slow: refused' } });
    expect(shown.text.match(/the budget of 100/g)).to.have.length(1);
    expect(shown.text).to.contain('backfill colours: slow: refused\n');
  });
});

describe('progress without a terminal', () => {
  it('is a line every ten seconds, the reason for slowness once, and the end', () => {
    const { shown, progress } = display({ terminal: false });
    const slow = { kind: 'budget', text: 'slow: used up' };
    for (let second = 1; second <= 35; second += 1) {
      shown.nowMs = second * 1_000;
      progress.update({ label: 'x', done: second * 10, total: 1_000, slow });
    }
    progress.stop();
    expect(lineEveryMs).to.equal(10_000);
    expect(shown.text.split('\n')).to.deep.equal([
      'x 10% 100 of 1,000 items, 10/s, 1 min 30 s left',
      'x: slow: used up',
      'x 20% 200 of 1,000 items, 10/s, 1 min 20 s left',
      'x 30% 300 of 1,000 items, 10/s, 1 min 10 s left',
      'x 35% 350 of 1,000 items, 10/s, 1 min 5 s left',
      '',
    ]);
  });

  it('goes on while nothing comes forward: a log that says nothing looks like a run that hangs', () => {
    const { shown, progress } = display({ terminal: false });
    for (let second = 1; second <= 35; second += 1) {
      shown.nowMs = second * 1_000;
      progress.update({ label: 'x', done: 7, total: 10, remarks: ['holding still: an alarm rings'] });
    }
    progress.stop();
    const line = 'x 70% 7 of 10 items, 0/s, holding still: an alarm rings';
    expect(shown.text.split('\n')).to.deep.equal([line, line, line, '']);
  });

  it('is JSON with --json, and nothing with --quiet', () => {
    const json = display({ terminal: true, json: true });
    json.progress.update({ ...state, details: { migration: '0001' } });
    json.progress.stop();
    expect(JSON.parse(json.shown.text)).to.include({ version: 1, event: 'progress', percent: 41, migration: '0001' });
    const quiet = display({ terminal: true, quiet: true });
    quiet.progress.update(state);
    quiet.progress.stop();
    expect(quiet.shown.text).to.equal('');
  });
});
