import type { ComponentChildren } from 'preact';
import { plural, showBytes, showNumber } from '../../core/show/numbers.ts';
import { showSecond } from '../../core/show/times.ts';
import type { TransfersAnswer, Trouble } from '../wire-types.ts';
import { useAnswer } from './api.ts';
import { Answered, Badge, Grid, Heading, Panel, Problem } from './parts.tsx';

/** Exports, imports, backups and archives of the stack. */
export function TransfersPage() {
  const asked = useAnswer<TransfersAnswer>('/api/transfers');
  return (
    <>
      <Heading title="Transfers" />
      <Answered asked={asked}>{(found) => <Parts found={found} />}</Answered>
    </>
  );
}

function Parts({ found }: { readonly found: TransfersAnswer }) {
  const { imports, exports, backups, recovery, archives } = found;
  return (
    <>
      <Panel title="Exports" wide>
        {orTrouble(exports, ({ place, found: folders }) => (
          <>
            <p class="quiet">In {place}</p>
            <Grid
              label="Exports"
              head={['export', 'state', 'files', 'size']}
              numbers={[2, 3]}
              rows={folders.map(({ folder, finished, files, bytes }) => [
                <span class="mono" key="folder">
                  {folder}
                </span>,
                <Badge state={finished ? 'complete' : 'interrupted'} key="state" />,
                files,
                showBytes(bytes),
              ])}
              empty="None yet: “tablewright export TABLE” makes one."
            />
          </>
        ))}
      </Panel>
      <Panel title="Imports" wide>
        <Grid
          label="Imports"
          head={['into', 'from', 'state', 'lines', 'written', 'dead letters', 'when']}
          numbers={[3, 4, 5]}
          tight={[0, 6]}
          rows={imports.map((one) => [
            one.table,
            one.source,
            <Badge state={one.state} key="state" />,
            showNumber(one.lines),
            showNumber(one.written),
            showNumber(one.deadLettered),
            showSecond(one.updatedAt),
          ])}
          empty="None yet: “tablewright import PLACE --table TABLE” makes one."
        />
      </Panel>
      <div class="panels">
        <Panel title="Backups">
          {orTrouble(backups, (list) => (
            <Grid
              label="Backups"
              head={['table', 'name', 'state', 'created', 'size']}
              tight={[3]}
              rows={list.map(({ table, name, status, createdAt, bytes }) => [
                table,
                name,
                status,
                showSecond(createdAt),
                bytes === undefined ? '–' : showBytes(bytes),
              ])}
              empty="None."
            />
          ))}
        </Panel>
        <Panel title="Point-in-time recovery">
          {orTrouble(recovery, (list) => (
            <Grid
              label="Point-in-time recovery"
              head={['table', 'on', 'from', 'to']}
              tight={[2, 3]}
              rows={list.map(({ table, enabled, earliest, latest }) => [
                table,
                enabled ? 'yes' : 'no',
                earliest === null ? '–' : showSecond(earliest),
                latest === null ? '–' : showSecond(latest),
              ])}
            />
          ))}
        </Panel>
        <Panel title="Archives">
          {orTrouble(archives, ({ place, files, bytes, latest }) => (
            <>
              <p class="quiet">In {place}</p>
              <p>
                {files === 0 ? 'None yet: “tablewright archive” makes them.' : `${plural(files, 'file')}, ${showBytes(bytes)}`}
                {latest !== null && `, the last ${showSecond(latest)}`}
              </p>
            </>
          ))}
        </Panel>
      </div>
    </>
  );
}

function orTrouble<T extends object>(part: T | Trouble, show: (value: T) => ComponentChildren): ComponentChildren {
  if (!('error' in part)) return show(part as T);
  const trouble = part as Trouble;
  return trouble.error === 'NOT_OFFERED' ? <p class="quiet">{trouble.message}</p> : <Problem trouble={trouble} />;
}
