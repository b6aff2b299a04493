import { useEffect, useState } from 'preact/hooks';
import { shownKey, shownPart } from '../../cli/migrate/render-partitions.ts';
import { plural, showCost, showNumber, showShare } from '../../core/show/numbers.ts';
import { showValue } from '../../core/show/show-value.ts';
import { showMinute, showSecond } from '../../core/show/times.ts';
import type { MigrationAnswer, MigrationsAnswer, PlanAnswer, PlanNotes, WireItem } from '../wire-types.ts';
import { useAnswer } from './api.ts';
import { LivePanel } from './live-run.tsx';
import { liveNow, useLive } from './live-source.ts';
import { Answered, Badge, Grid, Heading, Panel } from './parts.tsx';
import { linkTo, route } from './route.ts';
import { stackFacts } from './stack-facts.ts';

export function MigrationsPage() {
  const [, id] = route.value.parts;
  return id === undefined ? <AllMigrations /> : <OneMigration id={id} />;
}

function AllMigrations() {
  useLive();
  const asked = useAnswer<MigrationsAnswer>('/api/migrations');
  // Counts are asked for again when a state has changed; the states themselves come with the live figures.
  const states = JSON.stringify(liveNow.value?.states ?? {});
  useEffect(() => asked.again(), [states]);
  return (
    <>
      <Heading title="Migrations" />
      <LivePanel />
      <Panel title="All migrations" wide>
        <Answered asked={asked}>
          {({ migrations, descriptions, problems }) => (
            <>
              {problems.map((problem) => (
                <p class="bad-text" key={problem}>
                  {problem}
                </p>
              ))}
              <Grid
                label="All migrations"
                head={['migration', 'state', 'what it does', 'items', 'changed', 'dead', 'when', 'by']}
                numbers={[3, 4, 5]}
                tight={[6]}
                rows={migrations.map(({ id, state, record }) => [
                  <a href={linkTo(['migrations', id])} key="link">
                    {id}
                  </a>,
                  <Badge state={liveNow.value?.states[id] ?? state} key="state" />,
                  descriptions[id] ?? record?.description ?? '',
                  shownCount(id, record, 'scanned'),
                  shownCount(id, record, 'changed'),
                  record === null ? '–' : showNumber(record.dead),
                  record === null ? '–' : showMinute(record.updatedAt),
                  record?.who ?? '–',
                ])}
              />
            </>
          )}
        </Answered>
      </Panel>
      <Plan />
    </>
  );
}

/** Of a run that goes on, as it goes; the record has the counts of what has ended. */
function shownCount(id: string, record: MigrationsAnswer['migrations'][number]['record'], of: 'scanned' | 'changed'): string {
  const run = liveNow.value?.run;
  const going = run?.migration === id && run.live?.pass === 'apply' ? run.live.counts[of] : undefined;
  const count = going ?? record?.counts[of];
  return count === undefined ? '–' : showNumber(count);
}

function Plan() {
  const [wanted, setWanted] = useState<'sample' | 'all'>();
  const asked = useAnswer<PlanAnswer>(wanted === undefined ? undefined : `/api/plan${wanted === 'all' ? '?all=yes' : ''}`);
  return (
    <Panel title="Plan" wide>
      <div class="tools">
        <button type="button" onClick={() => setWanted('sample')}>
          Plan what is pending
        </button>
        <button type="button" class="second" onClick={() => setWanted('all')}>
          {stackFacts.value?.local === true ? 'Look at every item' : 'Look at every item (paid for)'}
        </button>
        <span class="quiet">Reads only, within the budget. The first looks at a sample of 2,000 items a step.</span>
      </div>
      {wanted !== undefined && (
        <Answered asked={asked}>
          {({ plans, notes, total }) =>
            plans.length === 0 ? (
              <p>Nothing to do: every migration is applied and verified.</p>
            ) : (
              <>
                <div class="note calm">
                  {total.map((line) => (
                    <p key={line}>{line}</p>
                  ))}
                </div>
                {plans.map((plan, at) => (
                  <OnePlan plan={plan} notes={notes[at] ?? []} key={plan.id} />
                ))}
              </>
            )
          }
        </Answered>
      )}
    </Panel>
  );
}

type Planned = PlanAnswer['plans'][number];
type PlannedStep = Planned['steps'][number];

interface PlanProps {
  readonly plan: Planned;
  /** Of each of its steps. */
  readonly notes: readonly PlanNotes[];
}

function OnePlan({ plan, notes }: PlanProps) {
  return (
    <article class="plan">
      <h3>{plan.id}</h3>
      <p>
        {plan.description}
        {plan.how !== '' && <span class="quiet"> ({plan.how})</span>}
      </p>
      {plan.steps.map((step, at) => (
        <PlanStep step={step} notes={notes[at] ?? { eta: '', remarks: [] }} key={step.step} />
      ))}
    </article>
  );
}

function PlanStep({ step, notes }: { readonly step: PlannedStep; readonly notes: PlanNotes }) {
  const { counts, sampled, units, cost, partitions } = step;
  return (
    <div class="step">
      <h4>
        {step.step} <span class="quiet">{step.table ?? step.kind}</span>
      </h4>
      {step.table !== undefined && (
        <p>
          {showNumber(counts.changed)} of {plural(counts.scanned, 'item')} to change
          {sampled === undefined ? '' : `, from a sample of ${showNumber(sampled)}`}; {showNumber(units.read)} RCU,{' '}
          {showNumber(units.write)} WCU with index writes
          {cost === null ? '' : `, ${showCost(cost)}`}
          {notes.eta}
        </p>
      )}
      {partitions !== undefined && partitions.limits.length > 0 && <HotKeys step={step.step} limits={partitions.limits} />}
      {notes.remarks.map((remark) => (
        <p class={remark.startsWith('!') ? 'warn-text' : 'quiet'} key={remark}>
          {remark}
        </p>
      ))}
      {step.differences.map((difference) => (
        <Difference difference={difference} key={difference.key} />
      ))}
      {step.poison.map(({ key, reason }) => (
        <p class="bad-text" key={key}>
          {key}: {reason}
        </p>
      ))}
    </div>
  );
}

type Limits = NonNullable<PlannedStep['partitions']>['limits'];

/** How what is written falls on partition keys: the busiest of each part bounds the rate. */
function HotKeys({ step, limits }: { readonly step: string; readonly limits: Limits }) {
  return (
    <Grid
      label={`Hot keys of ${step}`}
      head={['written to', 'partition keys', 'busiest key', 'its share', 'WCU/s at most']}
      numbers={[1, 3, 4]}
      rows={limits.map(({ part, keys, exact, largest, share, unitsPerSecond }) => [
        shownPart(part),
        `${exact ? '' : 'about '}${showNumber(keys)}`,
        <span class="mono" key="largest">
          {largest === undefined ? 'none stands out' : shownKey(largest).slice(2, -1)}
        </span>,
        showShare(share),
        showNumber(Math.floor(unitsPerSecond)),
      ])}
    />
  );
}

type Changed = PlannedStep['differences'][number];

function Difference({ difference: { key, before, after, remove } }: { readonly difference: Changed }) {
  const lines = (item: WireItem | null) => Object.entries(item ?? {});
  const removed = lines(before).filter(([name]) => remove.includes(name) || Object.hasOwn(after, name));
  return (
    <div class="diff">
      <p class="mono">{key}</p>
      {removed.map(([name, value]) => (
        <p class="minus" key={name}>
          <span class="hidden">before</span>− {name} {showValue(value)}
        </p>
      ))}
      {lines(after).map(([name, value]) => (
        <p class="plus" key={name}>
          <span class="hidden">after</span>+ {name} {showValue(value)}
        </p>
      ))}
    </div>
  );
}

function OneMigration({ id }: { readonly id: string }) {
  const asked = useAnswer<MigrationAnswer>(`/api/migrations/${encodeURIComponent(id)}`);
  return (
    <>
      <Heading title={id}>
        <p class="crumbs">
          <a href={linkTo(['migrations'])}>Migrations</a>
        </p>
      </Heading>
      <Answered asked={asked}>
        {({ description, steps, history, dead }) => (
          <>
            <p>{description ?? 'Its file is not there.'}</p>
            <Panel title="Steps" wide>
              <Grid
                label="Steps"
                head={['step', 'kind', 'table']}
                rows={steps.map(({ name, kind, table }) => [name, kind, table ?? '–'])}
              />
            </Panel>
            <Panel title="Dead letters" wide>
              <Grid
                label="Dead letters"
                head={['key', 'table', 'reason', 'when']}
                rows={dead.map(({ shownKey, table, reason, at }) => [shownKey, table, reason, showSecond(at)])}
                tight={[3]}
                empty="None: every item got its value."
              />
            </Panel>
            <Panel title="History" wide>
              <Grid
                label="History"
                head={['when', 'what', 'who', 'detail']}
                rows={history.map(({ at, kind, who, host, detail }) => [showSecond(at), kind, `${who}@${host}`, detail])}
                tight={[0]}
                empty="It was never run on this stack."
              />
            </Panel>
          </>
        )}
      </Answered>
    </>
  );
}
