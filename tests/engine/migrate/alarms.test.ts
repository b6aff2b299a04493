import { expect } from 'chai';
import type { AlarmLook } from '../../../engine/core/migrate/alarms.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import { readLease } from '../../../engine/run/ledger/lock.ts';
import { AlarmWatch, alarmPollMs, checkAlarms } from '../../../engine/run/migrate/alarm-watch.ts';
import { stackAlarms } from '../../../infra/alarms/stack-alarms.ts';
import { tableAlarms } from '../../../infra/alarms/table-alarms.ts';
import { throttleAlarmNames } from '../../../tables/model/stack/alarm-names.ts';
import { parseStackConfig } from '../../../tables/model/stack/stack-config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { migrate, migrateEnvironment } from '../../support/migrate-engine.ts';
import { tables } from '../../support/project.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, toyTables } from '../../support/toy-table.ts';

const quiet: AlarmLook = { ringing: [], missing: [] };
const rings: AlarmLook = { ringing: [{ name: 'orders-write-throttles', reason: 'Threshold Crossed' }], missing: [] };
const shown = 'the alarm orders-write-throttles rings (Threshold Crossed)';
const nothing = new AbortController().signal;

describe('the throttle alarms of a stack', () => {
  it('have the names that the Pulumi program gives them, those that are switched off left out', () => {
    const off = { alarms: { readThrottles: { enabled: false } } };
    const settings = { 'tablewright:tables': { orders: off, markets: { alarms: { writeThrottles: { enabled: false } } } } };
    for (const given of [{}, settings, { 'tablewright:alarms': { enabled: false } }]) {
      const config = parseStackConfig('dev', given, tables);
      const made = [...tables.flatMap((table) => tableAlarms(table, config)), ...stackAlarms(config)].map(({ name }) => name);
      const names = throttleAlarmNames(tables, config);
      expect(names).to.have.members(made.filter((name) => /-(read|write)-throttles$/.test(name)));
    }
    expect(throttleAlarmNames(tables, parseStackConfig('dev', {}, tables))).to.have.length.above(50);
  });

  it('must all be there before a run begins', async () => {
    await checkAlarms({ names: ['a'], look: async () => quiet }, nothing);
    const error = await failureOf(
      checkAlarms({ names: ['a', 'b'], look: async () => ({ ringing: [], missing: ['b'] }) }, nothing),
    );
    expect(error.code).to.equal('PREFLIGHT_FAILED');
    expect(error.problems).to.deep.equal(['b: there is no such alarm in this account and region']);
  });
});

describe('the watch over alarms', () => {
  function watch(looks: readonly (AlarmLook | Error)[]) {
    const events: MigrateEvent[] = [];
    const clock = { nowMs: 0 };
    const asked: number[] = [];
    const left = [...looks];
    const look = async (): Promise<AlarmLook> => {
      asked.push(clock.nowMs);
      const next = left.shift() ?? quiet;
      if (next instanceof Error) throw next;
      return next;
    };
    const lease = { token: 1, holder: 'me', takenOver: undefined, untilMs: 0 } as unknown as ConstructorParameters<
      typeof AlarmWatch
    >[1];
    const environment = {
      alarms: { names: ['a'], look },
      emit: (event: MigrateEvent) => void events.push(event),
      nowMs: () => clock.nowMs,
      sleep: async (ms: number) => {
        clock.nowMs += ms;
      },
    };
    return { watch: new AlarmWatch(environment, lease), events, asked, lease, clock };
  }

  it('asks no more often than every 15 s, holds while one rings and goes on when none does', async () => {
    const { watch: alarms, events, asked, lease, clock } = watch([rings, rings, quiet]);
    await alarms.look();
    await alarms.look();
    expect([alarms.heldBy, lease.waiting]).to.deep.equal([shown, shown]);
    await alarms.wait(nothing);
    expect(asked).to.deep.equal([0, alarmPollMs, 2 * alarmPollMs]);
    expect([alarms.heldBy, lease.waiting]).to.deep.equal([undefined, '']);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['held', 'released']);
    clock.nowMs += alarmPollMs;
  });

  it('leaves things as they are when CloudWatch cannot be read, and tells it once', async () => {
    const down = new Error('CloudWatch is away');
    const going = watch([down, down, quiet]);
    for (let at = 0; at < 3; at += 1) {
      await going.watch.look();
      going.clock.nowMs += alarmPollMs;
    }
    expect(going.watch.heldBy).to.equal(undefined);
    expect(going.events).to.deep.equal([
      { kind: 'alarms-unseen', message: 'CloudWatch is away', held: false },
      { kind: 'alarms-seen' },
    ]);
    const held = watch([rings, down]);
    await held.watch.look();
    held.clock.nowMs += alarmPollMs;
    await held.watch.look();
    expect(held.watch.heldBy, 'it goes on holding').to.equal(shown);
    expect(held.events.at(-1)).to.include({ kind: 'alarms-unseen', held: true });
  });

  it('lets go at once when it is stopped', async () => {
    const stop = new AbortController();
    const { watch: alarms } = watch([rings]);
    await alarms.look();
    stop.abort();
    await alarms.wait(stop.signal);
    expect(alarms.heldBy).to.equal(shown);
  });
});

describe('a run beside an alarm', () => {
  const engine = useEngine(toyTables);

  it('writes nothing while it rings, keeps its lease, tells why in the lock, and goes on afterwards', async () => {
    await resetToys(engine(), someThings(30));
    const events: MigrateEvent[] = [];
    let look: AlarmLook = rings;
    let now = Date.now();
    const alarms = { names: ['a'], look: async () => look };
    const overrides = { alarms, nowMs: () => Math.max(Date.now(), now) };
    const environment = migrateEnvironment(engine(), { tables: toyTables, events, overrides, tuning: { heartbeatMs: 50 } });
    const running = migrate(environment, [indexColours]);
    const until = async (isSo: () => Promise<boolean> | boolean) => {
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await until(() => events.some(({ kind }) => kind === 'held'));
    await until(async () => (await readLease(environment))?.waiting === shown);
    const before = await readLease(environment);
    await until(async () => ((await readLease(environment))?.leaseUntil ?? 0) > (before?.leaseUntil ?? 0));
    const changed = () =>
      events.flatMap((event) => (event.kind === 'progress' ? [event.progress.counts.changed] : [])).at(-1) ?? 0;
    expect(changed()).to.equal(0);
    look = quiet;
    // By the clock of the run it is time to look again.
    now = Date.now() + alarmPollMs;
    const report = await running;
    expect(report.results.map(({ state }) => state)).to.deep.equal(['verified']);
    expect(report.results[0]?.counts.changed).to.equal(30);
    expect(events.map(({ kind }) => kind)).to.include('released');
    expect((await readLease(environment))?.waiting).to.equal(undefined);
  });

  it('ends as interrupted when it is stopped meanwhile, with the lock given back', async () => {
    await resetToys(engine(), someThings(10));
    const stop = new AbortController();
    const overrides = { alarms: { names: ['a'], look: async () => rings } };
    const environment = migrateEnvironment(engine(), { tables: toyTables, overrides });
    const running = migrate(environment, [indexColours], { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    expect((await running).outcome).to.equal('interrupted');
    expect((await readLease(environment))?.leaseUntil).to.equal(0);
  });
});
