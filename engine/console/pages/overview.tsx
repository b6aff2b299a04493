import { showBytes, showNumber } from '../../core/show/numbers.ts';
import type { CutoverEntry, DoctorAnswer, MigrationsAnswer, TableFigure } from '../wire-types.ts';
import { useAnswer } from './api.ts';
import { Answered, Badge, Grid, Heading, Panel } from './parts.tsx';
import { linkTo } from './route.ts';
import { stackFacts } from './stack-facts.ts';

export function OverviewPage() {
  return (
    <>
      <Heading title="Overview" />
      <div class="panels four">
        <Place />
        <Doctor />
        <MigrationsGlance />
        <CutoverGlance />
      </div>
      <TableFigures />
    </>
  );
}

function Place() {
  const stack = stackFacts.value;
  if (stack === undefined) return null;
  const facts: readonly (readonly [string, string])[] = [
    ['Settings of', `Pulumi.${stack.configured}.yaml`],
    ['Where', stack.engine === null ? (stack.endpoint ?? 'AWS') : `${stack.engine} at ${stack.endpoint}`],
    ['Region', stack.region],
    ...(stack.account === null ? [] : [['Account', stack.account] as const]),
    ['Changes from here', stack.writes ? (stack.confirm ? 'after its name is typed' : 'allowed') : 'none: read-only'],
  ];
  return (
    <Panel title={`Stack ${stack.name}`}>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Doctor() {
  const asked = useAnswer<DoctorAnswer>('/api/doctor');
  return (
    <Panel title="Doctor">
      <Answered asked={asked}>
        {({ differences, remedy, notOffered }) => (
          <>
            {differences.length === 0 ? (
              <p class="big good-text">✓ As the catalogue says</p>
            ) : (
              <>
                <Grid
                  label="Differences"
                  head={['table', 'what', 'expected', 'found']}
                  rows={differences.map(({ table, what, expected, found }) => [table, what, expected, found])}
                />
                <p>{remedy}</p>
              </>
            )}
            {notOffered !== null && <p class="quiet">Not offered by this server: {notOffered}.</p>}
          </>
        )}
      </Answered>
    </Panel>
  );
}

function MigrationsGlance() {
  const asked = useAnswer<MigrationsAnswer>('/api/migrations');
  return (
    <Panel title="Migrations" aside={<a href={linkTo(['migrations'])}>all</a>}>
      <Answered asked={asked}>
        {({ migrations, lock, paused, problems }) => (
          <>
            <Dots entries={migrations.map(({ id, state }) => ({ name: id, state }))} done="verified" />
            <p>
              {lock === null ? 'Nobody runs them now.' : `${lock.holder} is at work (${lock.doing}).`}
              {paused !== null && ` Paused by ${paused.by}.`}
            </p>
            {problems.map((problem) => (
              <p class="bad-text" key={problem}>
                {problem}
              </p>
            ))}
          </>
        )}
      </Answered>
    </Panel>
  );
}

function CutoverGlance() {
  const asked = useAnswer<readonly CutoverEntry[]>('/api/cutover');
  return (
    <Panel title="Cut-over" aside={<a href={linkTo(['cutover'])}>board</a>}>
      <Answered asked={asked}>
        {(found) => <Dots entries={found.map(({ pattern, state }) => ({ name: pattern, state }))} done="query" />}
      </Answered>
    </Panel>
  );
}

interface DotsProps {
  readonly entries: readonly { readonly name: string; readonly state: string }[];
  readonly done: string;
}

/** How many are where: one line, and a dot for each. */
function Dots({ entries, done }: DotsProps) {
  const states = [...new Set(entries.map(({ state }) => state))];
  const reached = entries.filter(({ state }) => state === done).length;
  return (
    <>
      <p class="big">
        {reached}{' '}
        <span class="of">
          of {entries.length} {done === 'query' ? 'cut over' : done}
        </span>
      </p>
      <ul class="dots" aria-label="Each of them">
        {entries.map(({ name, state }) => (
          <li key={name} class={state === done ? 'on' : 'off'} title={`${name}: ${state}`}>
            <span class="hidden">{`${name}: ${state}`}</span>
          </li>
        ))}
      </ul>
      {states.length > 1 && (
        <p class="badges">
          {states.map((state) => (
            <span key={state}>
              <Badge state={state} /> {entries.filter((entry) => entry.state === state).length}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

function TableFigures() {
  const asked = useAnswer<readonly TableFigure[]>('/api/tables');
  return (
    <Panel title="Tables" wide>
      <Answered asked={asked}>{(figures) => <FigureGrid figures={figures} />}</Answered>
    </Panel>
  );
}

export function FigureGrid({ figures }: { readonly figures: readonly TableFigure[] }) {
  return (
    <Grid
      label="Tables of the stack"
      head={['table', 'system', 'items', 'size', 'indexes', 'patterns', 'billing', 'state']}
      numbers={[2, 3, 4, 5]}
      tight={[6]}
      rows={figures.map((one) => [
        <a href={linkTo(['tables', one.table])} key="link" title={one.description}>
          {one.name}
        </a>,
        one.system,
        one.items === null ? '–' : showNumber(one.items),
        one.bytes === null ? '–' : `${one.sampled ? 'about ' : ''}${showBytes(one.bytes)}`,
        <span key="indexes" title={one.indexes.map(({ name, status }) => `${name} ${status}`).join(', ')}>
          {one.indexes.length}
        </span>,
        one.patterns,
        one.billing === null ? '–' : one.billing === 'PROVISIONED' ? 'provisioned' : 'on demand',
        <Badge state={one.indexes.find(({ status }) => status !== 'ACTIVE')?.status ?? one.status} key="state" />,
      ])}
    />
  );
}
