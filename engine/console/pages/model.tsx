import { useState } from 'preact/hooks';
import type { ModelAnswer, ModelCell, ModelPattern, TableAnswer, TableFigure } from '../wire-types.ts';
import { useAnswer } from './api.ts';
import { Answered, breakable, Heading } from './parts.tsx';
import { linkTo, route } from './route.ts';

export function ModelPage() {
  const [, name] = route.value.parts;
  const asked = useAnswer<readonly TableFigure[]>('/api/tables');
  const tables = asked.value;
  const chosen = name ?? tables?.[0]?.table;
  return (
    <>
      <Heading title="Model">
        {tables !== undefined && (
          <label class="inline">
            Table{' '}
            <select
              value={chosen}
              onChange={(event) => {
                location.hash = linkTo(['model', event.currentTarget.value]);
              }}
            >
              {tables.map((table) => (
                <option value={table.table} key={table.table}>
                  {table.name}
                </option>
              ))}
            </select>
          </label>
        )}
      </Heading>
      <Answered asked={asked}>{() => chosen !== undefined && <Picture table={chosen} />}</Answered>
    </>
  );
}

function Picture({ table }: { readonly table: string }) {
  const asked = useAnswer<TableAnswer>(`/api/tables/${encodeURIComponent(table)}`);
  return (
    <Answered asked={asked}>
      {({ model, description }) => (
        <>
          <p>{description}</p>
          <KeyMap model={model} />
        </>
      )}
    </Answered>
  );
}

/** Entities down, keys across: under which key an entity lies in each index, and the patterns that read it there. */
function KeyMap({ model }: { readonly model: ModelAnswer }) {
  const [pointed, setPointed] = useState<string>();
  const lit = model.patterns.find(({ name }) => name === pointed);
  const ofColumn = (index: string | null) => model.patterns.filter((pattern) => pattern.index === index);
  const isLit = (index: string | null, entity: string) =>
    lit !== undefined && lit.index === index && lit.results.includes(entity);
  return (
    <>
      <div class="scroll map" tabIndex={0} role="group" aria-label="The model">
        <table>
          <thead>
            <tr>
              <td />
              {model.columns.map(({ index, hash, range }) => (
                <th scope="col" key={index} class={index === null ? 'own' : undefined}>
                  <span class="index">{index ?? 'the table'}</span>
                  <KeyTemplates hash={hash} range={range} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {model.rows.map(({ entity, description, cells }) => (
              <tr key={entity}>
                <th scope="row" title={description}>
                  {entity}
                </th>
                {cells.map((cell, at) => {
                  const index = model.columns[at]?.index ?? null;
                  return (
                    <td key={index} class={isLit(index, entity) ? 'lit' : undefined}>
                      <Cell cell={cell} isTable={index === null} />
                    </td>
                  );
                })}
              </tr>
            ))}
            <tr class="readers">
              <th scope="row">read by</th>
              {model.columns.map(({ index }) => (
                <td key={index}>
                  <ul class="plain">
                    {ofColumn(index).map((pattern) => (
                      <Reader pattern={pattern} onPoint={setPointed} key={pattern.name} />
                    ))}
                  </ul>
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="legend">
        <code class="hash">partition key</code> <code class="range">sort key</code>
        <span>
          <span class="badge bad">collides</span> two entities can have the same primary key
        </span>
        <span>
          <span class="badge warn">mixes</span> an index cannot tell them apart by their keys
        </span>
        <span class="quiet">Point at a pattern to see what it reads.</span>
      </p>
    </>
  );
}

function KeyTemplates({ hash, range }: { readonly hash: readonly string[]; readonly range: readonly string[] }) {
  return (
    <>
      {hash.map((part) => (
        <code class="hash" key={part}>
          {part}
        </code>
      ))}
      {range.map((part) => (
        <code class="range" key={part}>
          {part}
        </code>
      ))}
    </>
  );
}

function Cell({ cell: { places, shared }, isTable }: { readonly cell: ModelCell; readonly isTable: boolean }) {
  if (places.length === 0) return <span class="quiet">not in it</span>;
  return (
    <>
      {places.map(({ hash, range, when }) => (
        <div class="place" key={`${hash} ${range} ${when}`}>
          <KeyTemplates hash={hash} range={range} />
          {when !== null && <span class="when">when {when}</span>}
        </div>
      ))}
      {shared.length > 0 && (
        <p class="shared">
          <span class={isTable ? 'badge bad' : 'badge warn'}>{isTable ? 'collides' : 'mixes'}</span> with {shared.join(', ')}
        </p>
      )}
    </>
  );
}

interface ReaderProps {
  readonly pattern: ModelPattern;
  readonly onPoint: (name: string | undefined) => void;
}

function Reader({ pattern, onPoint }: ReaderProps) {
  return (
    <li>
      <a
        href={linkTo(['patterns', pattern.name])}
        title={[pattern.description, ...pattern.key, ...(pattern.filter === null ? [] : [`filter ${pattern.filter}`])].join('\n')}
        onMouseEnter={() => onPoint(pattern.name)}
        onMouseLeave={() => onPoint(undefined)}
        onFocus={() => onPoint(pattern.name)}
        onBlur={() => onPoint(undefined)}
      >
        {breakable(pattern.name)}
      </a>
    </li>
  );
}
