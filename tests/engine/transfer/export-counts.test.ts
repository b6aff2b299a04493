import { expect } from 'chai';
import { freshSegment } from '../../../engine/core/transfer/export-progress.ts';
import type { ExportEvent } from '../../../engine/core/transfer/transfer-event.ts';
import { ExportCounts } from '../../../engine/run/transfer/export-counts.ts';
import type { ExportEnvironment } from '../../../engine/run/transfer/export-environment.ts';

describe('how far an export is told to be', () => {
  function counted() {
    const clock = { ms: 0 };
    const told: (readonly [read: number, segmentsDone: number])[] = [];
    const onEvent = (event: ExportEvent): void => {
      if (event.kind === 'progress') told.push([event.progress.read, event.progress.segmentsDone]);
    };
    const environment = { clock: { steadyMs: () => clock.ms }, onEvent } as unknown as ExportEnvironment;
    return { clock, told, counts: new ExportCounts(environment, [freshSegment, freshSegment], 0) };
  }

  it('is all of it at its end, also where the last page came soon after the one before', () => {
    const { clock, told, counts } = counted();
    clock.ms = 300;
    counts.page(100, 100, 1);
    clock.ms = 310;
    counts.page(20, 20, 1);
    counts.segmentDone();
    counts.segmentDone();
    expect(told).to.deep.equal([
      [100, 0],
      [120, 2],
    ]);
  });

  it('is nothing where it was over before there was anything to tell', () => {
    const { told, counts } = counted();
    counts.page(20, 20, 1);
    counts.segmentDone();
    counts.segmentDone();
    expect(told).to.deep.equal([]);
  });
});
