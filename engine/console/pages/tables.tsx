import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural, showNumber, showUnits } from '../../core/show/numbers.ts';
import { showValue } from '../../core/show/show-value.ts';
import type { ItemsAnswer, ShownItem, TableAnswer, TableFigure, Trouble } from '../wire-types.ts';
import { askFor, troubleOf, useAnswer } from './api.ts';
import { FigureGrid } from './overview.tsx';
import { Answered, Grid, Heading, Panel, Problem } from './parts.tsx';
import { linkTo, route } from './route.ts';
import { stackFacts } from './stack-facts.ts';

export function TablesPage() {
  const [, name] = route.value.parts;
  return name === undefined ? <AllTables /> : <OneTable name={name} />;
}

function AllTables() {
  const asked = useAnswer<readonly TableFigure[]>('/api/tables');
  return (
    <>
      <Heading title="Tables" />
      <Panel title="Tables of the stack" wide>
        <Answered asked={asked}>{(figures) => <FigureGrid figures={figures} />}</Answered>
      </Panel>
    </>
  );
}

function OneTable({ name }: { readonly name: string }) {
  const asked = useAnswer<TableAnswer>(`/api/tables/${encodeURIComponent(name)}`);
  return (
    <>
      <Heading title={name}>
        <p class="crumbs">
          <a href={linkTo(['tables'])}>Tables</a> · <a href={linkTo(['model', name])}>Model</a>
        </p>
      </Heading>
      <Answered asked={asked}>
        {(table) => (
          <>
            <p>{table.description}</p>
            <ItemList table={table} />
            <div class="panels flowing">
              <Panel title="Keys and indexes">
                <Grid
                  label="Keys and indexes"
                  head={['index', 'partition key', 'sort key', 'holds']}
                  rows={[
                    ['the table', table.key[0], table.key[1] ?? '–', 'all'],
                    ...table.indexes.map(({ name, hash, range, projection }) => [
                      name,
                      hash.join(' + '),
                      range.join(' + ') || '–',
                      projection.toLowerCase().replace('_', ' '),
                    ]),
                  ]}
                />
                {table.ttl !== null && <p class="quiet">Items expire by {table.ttl}.</p>}
              </Panel>
              <Panel title="Entities">
                <dl class="facts">
                  {table.entities.map((entity) => (
                    <div key={entity.name}>
                      <dt>{entity.name}</dt>
                      <dd>
                        {entity.description}
                        <br />
                        <span class="quiet">{entity.attributes.map((one) => one.name).join(', ')}</span>
                      </dd>
                    </div>
                  ))}
                </dl>
              </Panel>
              <Panel title="Patterns">
                <ul class="plain">
                  {table.model.patterns.map((pattern) => (
                    <li key={pattern.name}>
                      <a href={linkTo(['patterns', pattern.name])}>{pattern.name}</a>
                      <br />
                      <span class="quiet">{pattern.description}</span>
                    </li>
                  ))}
                </ul>
              </Panel>
            </div>
          </>
        )}
      </Answered>
    </>
  );
}

interface Loaded {
  readonly items: readonly ShownItem[];
  readonly next: string | null;
  readonly units: number;
}

/** What was loaded stays while one looks at an item and comes back. */
const lists = signal<Readonly<Record<string, Loaded>>>({});

const sizes = [100, 1_000] as const;

function ItemList({ table }: { readonly table: TableAnswer }) {
  const loaded = lists.value[table.table];
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const [size, setSize] = useState<number>(sizes[0]);
  const [wanted, setWanted] = useState('');
  const isLocal = stackFacts.value?.local === true;
  const load = async (from: string | null) => {
    setBusy(true);
    setTrouble(undefined);
    try {
      const query = new URLSearchParams({
        size: String(size),
        ...(from === null ? {} : { from }),
        ...(isLocal ? {} : { asked: 'yes' }),
      });
      const page = await askFor<ItemsAnswer>(`/api/tables/${encodeURIComponent(table.table)}/items?${query}`);
      const before = from === null ? undefined : lists.value[table.table];
      const items = [...(before?.items ?? []), ...page.items];
      lists.value = { ...lists.value, [table.table]: { items, next: page.next, units: (before?.units ?? 0) + page.units } };
    } catch (error) {
      setTrouble(troubleOf(error));
    }
    setBusy(false);
  };
  useEffect(() => {
    if (isLocal && loaded === undefined) void load(null);
  }, []);
  const shown = (loaded?.items ?? []).filter(({ key, entity }) =>
    `${entity} ${key}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  const text =
    loaded === undefined
      ? ''
      : `${plural(loaded.items.length, 'item')}, ${showUnits(loaded.units)} read units by Scan${loaded.next === null ? ', the end' : ''}`;
  return (
    <Panel
      title="Items"
      wide
      aside={
        <span class="quiet" role="status">
          {busy ? 'Loading …' : text}
        </span>
      }
    >
      {!isLocal && loaded === undefined && (
        <p class="note">
          This table is not on this machine. A Scan reads every item and is paid for; {size} items of 400 bytes take about{' '}
          {showUnits(Math.ceil((size * 400) / 4_096) / 2)} read units. Patterns read less.
        </p>
      )}
      <div class="tools">
        <label>
          Find in what is loaded
          <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        </label>
        <label>
          Items a page
          <select value={size} onChange={(event) => setSize(Number(event.currentTarget.value))}>
            {sizes.map((one) => (
              <option value={one} key={one}>
                {showNumber(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={busy || loaded?.next === null} onClick={() => load(loaded?.next ?? null)}>
          {loaded === undefined ? 'Scan the first page' : 'Next page'}
        </button>
        {loaded !== undefined && (
          <button type="button" class="second" disabled={busy} onClick={() => load(null)}>
            From the start
          </button>
        )}
      </div>
      {trouble !== undefined && <Problem trouble={trouble} />}
      {loaded !== undefined && <ItemRows table={table} items={shown} />}
    </Panel>
  );
}

const rowHeight = 56;
/** Rows in sight. */
const mostRows = 9;

interface RowsProps {
  readonly table: Pick<TableAnswer, 'table' | 'key' | 'entities'>;
  readonly items: readonly ShownItem[];
}

/** Only the rows in sight are made, however many there are. */
export function ItemRows({ table, items }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = Math.min(items.length, mostRows) * rowHeight;
  const first = Math.max(0, Math.floor(top / rowHeight) - 6);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + 6);
  if (items.length === 0) return <p class="quiet">No items.</p>;
  return (
    <div class="rows" role="table" aria-label="Items" aria-rowcount={items.length + 1}>
      <div class="hidden" role="row" aria-rowindex={1}>
        <span role="columnheader">key</span>
        <span role="columnheader">entity</span>
        <span role="columnheader">attributes</span>
      </div>
      <div
        class="window"
        ref={box}
        tabIndex={0}
        role="rowgroup"
        aria-label="Items, scrolling"
        style={{ height: `${height}px` }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="spacer" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          {items.slice(first, last).map((item, at) => (
            <div
              class="row"
              role="row"
              aria-rowindex={first + at + 2}
              key={item.key}
              style={{ top: `${(first + at) * rowHeight}px` }}
            >
              <span role="cell" title={item.key}>
                <a href={linkTo(['tables', table.table, 'item'], { key: keyOf(table, item) })}>{item.key}</a>
              </span>
              <span role="cell">
                <span class="badge quiet">{item.entity ?? 'unknown'}</span>
              </span>
              <span role="cell" class="summary">
                {summaryOf(table, item)}
              </span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function keyOf({ key }: Pick<TableAnswer, 'key'>, { item }: ShownItem): string {
  return JSON.stringify(Object.fromEntries(key.map((name) => [name, item[name]])));
}

/** What writers gave, keys and index attributes apart. */
function summaryOf({ entities }: Pick<TableAnswer, 'entities'>, { entity, item }: ShownItem): string {
  const shapes = entities.find(({ name }) => name === entity)?.attributes;
  const names = shapes?.map(({ name }) => name) ?? Object.keys(item);
  return names
    .flatMap((name) => {
      const value = item[name];
      if (value === undefined) return [];
      return [
        `${name} ${showValue(
          value,
          shapes?.find((shape) => shape.name === name),
        )}`,
      ];
    })
    .join(' · ');
}
