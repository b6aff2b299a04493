import { useState } from 'preact/hooks';
import { plural, showUnits } from '../../core/show/numbers.ts';
import { asAws, asCommand, asTypeScript } from '../view/copy-as.ts';
import type { PatternAnswer, PatternParameter, PatternRead, ShownItem, TableAnswer, Trouble } from '../wire-types.ts';
import { send, troubleOf, useAnswer } from './api.ts';
import { Answered, Code, CopyButton, Heading, Panel, Problem } from './parts.tsx';
import { linkTo, route } from './route.ts';
import { stackFacts } from './stack-facts.ts';
import { ItemRows } from './tables.tsx';

export function PatternsPage() {
  const [, name] = route.value.parts;
  const asked = useAnswer<readonly PatternAnswer[]>('/api/patterns');
  const pattern = asked.value?.find((one) => one.name === name);
  return (
    <>
      <Heading title={pattern?.name ?? 'Patterns'}>
        {pattern !== undefined && (
          <p class="crumbs">
            <a href={linkTo(['patterns'])}>Patterns</a> · <a href={linkTo(['tables', pattern.table])}>{pattern.table}</a>
          </p>
        )}
      </Heading>
      <Answered asked={asked}>
        {(patterns) =>
          pattern === undefined ? <PatternList patterns={patterns} missed={name} /> : <OnePattern pattern={pattern} />
        }
      </Answered>
    </>
  );
}

interface ListProps {
  readonly patterns: readonly PatternAnswer[];
  /** A name that somebody asked for and that there is not. */
  readonly missed: string | undefined;
}

function PatternList({ patterns, missed }: ListProps) {
  const [wanted, setWanted] = useState('');
  const found = patterns.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted.toLowerCase()));
  const tables = [...new Set(found.map(({ table }) => table))];
  return (
    <>
      {missed !== undefined && (
        <p class="note" role="alert">
          There is no pattern {missed} in the catalogue. These are:
        </p>
      )}
      <div class="tools">
        <label>
          Find
          <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        </label>
        <span class="quiet" role="status">
          {plural(found.length, 'pattern')}
        </span>
      </div>
      <div class="panels flowing">
        {tables.map((table) => (
          <Panel title={table} key={table}>
            <ul class="plain">
              {found
                .filter((pattern) => pattern.table === table)
                .map((pattern) => (
                  <li key={pattern.name}>
                    <a href={linkTo(['patterns', pattern.name])}>{pattern.name}</a>
                    <span class="badge quiet">{pattern.operation}</span>
                    <br />
                    <span class="quiet">{pattern.description}</span>
                  </li>
                ))}
            </ul>
          </Panel>
        ))}
      </div>
    </>
  );
}

interface Answer {
  readonly read: PatternRead;
  /** Of all pages so far. */
  readonly items: readonly ShownItem[];
  readonly units: number;
  readonly pages: number;
  readonly params: Readonly<Record<string, string>>;
  readonly options: Options;
}

interface Options {
  readonly reverse: boolean;
  readonly consistent: boolean;
}

/** Parameters as they were typed, without those that were left out. */
const givenOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

function OnePattern({ pattern }: { readonly pattern: PatternAnswer }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(pattern.params.map(({ name, example }) => [name, example])),
  );
  const [typed, setOptions] = useState<Options>({ reverse: false, consistent: false });
  const [answer, setAnswer] = useState<Answer>();
  const [trouble, setTrouble] = useState<Trouble>();
  const [busy, setBusy] = useState(false);
  const run = async ({ cursor, asked = false }: { cursor?: string; asked?: boolean }) => {
    setBusy(true);
    setTrouble(undefined);
    try {
      // The next page goes on with what was asked, whatever the form says by now.
      const params = cursor === undefined ? givenOf(texts) : (answer?.params ?? {});
      const options = cursor === undefined ? typed : (answer?.options ?? typed);
      const call = { params, ...options, asked, ...(cursor === undefined ? {} : { cursor }) };
      const read = await send<PatternRead>(`/api/patterns/${encodeURIComponent(pattern.name)}/read`, call);
      const before = cursor === undefined ? undefined : answer;
      setAnswer({
        read: before === undefined ? read : { ...read, explanation: before.read.explanation },
        items: [...(before?.items ?? []), ...read.items],
        units: (before?.units ?? 0) + read.units,
        pages: (before?.pages ?? 0) + read.pages,
        params,
        options,
      });
    } catch (error) {
      setTrouble(troubleOf(error));
      if (cursor === undefined) setAnswer(undefined);
    }
    setBusy(false);
  };
  return (
    <>
      <p>{pattern.description}</p>
      <div class="panels">
        <Panel
          title="Ask"
          aside={
            <span class="badge quiet">
              {pattern.operation}
              {pattern.index === null ? '' : ` · ${pattern.index}`}
            </span>
          }
        >
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              void run({});
            }}
          >
            {pattern.params.map((parameter) => (
              <Field
                parameter={parameter}
                text={texts[parameter.name] ?? ''}
                onText={(text) => setTexts({ ...texts, [parameter.name]: text })}
                key={parameter.name}
              />
            ))}
            {pattern.params.length === 0 && <p class="quiet">It takes no parameters.</p>}
            <div class="checks">
              {pattern.reversible && (
                <label>
                  <input
                    type="checkbox"
                    checked={typed.reverse}
                    onChange={() => setOptions({ ...typed, reverse: !typed.reverse })}
                  />{' '}
                  last first
                </label>
              )}
              {pattern.consistent && (
                <label>
                  <input
                    type="checkbox"
                    checked={typed.consistent}
                    onChange={() => setOptions({ ...typed, consistent: !typed.consistent })}
                  />{' '}
                  consistent
                </label>
              )}
            </div>
            <button type="submit" disabled={busy}>
              {busy ? 'Reading …' : 'Read'}
            </button>
          </form>
          {trouble !== undefined && <Problem trouble={trouble} />}
          {trouble?.error === 'NOT_CONFIRMED' && (
            <button type="button" class="second" onClick={() => run({ asked: true })}>
              Scan it all the same
            </button>
          )}
        </Panel>
        {answer !== undefined && <Cost answer={answer} />}
      </div>
      {answer !== undefined && (
        <Result pattern={pattern} answer={answer} busy={busy} onMore={(cursor) => run({ cursor, asked: true })} />
      )}
      {answer !== undefined && <Request pattern={pattern} answer={answer} />}
    </>
  );
}

interface FieldProps {
  readonly parameter: PatternParameter;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Field({ parameter, text, onText }: FieldProps) {
  const { name, kind, time, choices, optional, example } = parameter;
  const typed = kind === 'bytes' ? 'bytes as base64' : kind;
  const hint = [time === null ? typed : `time (${time})`, optional ? 'may be left out' : 'needed'].join(', ');
  return (
    <label class="field" for={`param-${name}`}>
      <span>
        {name} <span class="quiet">{hint}</span>
      </span>
      {choices.length > 0 ? (
        <select id={`param-${name}`} value={text} onChange={(event) => onText(event.currentTarget.value)}>
          {optional && <option value="">–</option>}
          {choices.map((one) => (
            <option value={one} key={one}>
              {one}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={`param-${name}`}
          type="text"
          value={text}
          placeholder={example}
          spellcheck={false}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

function Cost({ answer: { read, units, pages, items } }: { readonly answer: Answer }) {
  const { expected, scan, why, state } = read.explanation;
  return (
    <Panel title={read.way === 'scan' ? 'Why it is a Scan' : 'Why it is not a Scan'}>
      <p class="big">
        {showUnits(units)}{' '}
        <span class="of">
          read units, {plural(items.length, 'record')}, {plural(pages, 'page')}, {read.ms.toFixed(1)} ms
        </span>
      </p>
      <ul class="reasons">
        {why.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p class="quiet">
        Expected {showUnits(expected.units)}
        {scan !== null && read.way === 'query'
          ? `; a Scan of all ${scan.records.toLocaleString('en-US')} records would take ${showUnits(scan.units)}`
          : ''}
        {state === null ? '' : `; cut-over state ${state}`}.
      </p>
    </Panel>
  );
}

interface ResultProps {
  readonly pattern: PatternAnswer;
  readonly answer: Answer;
  readonly busy: boolean;
  readonly onMore: (cursor: string) => void;
}

function Result({ pattern, answer, busy, onMore }: ResultProps) {
  const table = useAnswer<TableAnswer>(`/api/tables/${encodeURIComponent(pattern.table)}`);
  const { cursor } = answer.read;
  return (
    <Panel title="Answer" wide>
      <Answered asked={table}>{(shape) => <ItemRows table={shape} items={answer.items} />}</Answered>
      {cursor !== null && (
        <button type="button" disabled={busy} onClick={() => onMore(cursor)}>
          Next page
        </button>
      )}
    </Panel>
  );
}

interface RequestProps {
  readonly pattern: PatternAnswer;
  readonly answer: Answer;
}

function Request({ pattern, answer }: RequestProps) {
  const stack = stackFacts.value;
  if (stack === undefined) return null;
  const { request, operation } = answer.read.explanation;
  const bytes = pattern.params.filter(({ kind }) => kind === 'bytes').map(({ name }) => name);
  const call = { pattern: pattern.name, params: answer.params, bytes, limit: undefined, ...answer.options };
  const sent = JSON.stringify(request, null, 2);
  return (
    <div class="panels">
      <Panel title="Request as it is sent" aside={<CopyButton text={sent} label="the request" />}>
        <Code label="the request" text={sent} />
      </Panel>
      <Panel title="Take it away">
        <Code title="tablewright" label="as a tablewright command" text={asCommand(call, stack)} />
        <Code title="aws" label="as an aws command" text={asAws(operation, request, stack)} />
        <Code title="TypeScript" label="as TypeScript" text={asTypeScript(call, stack)} />
      </Panel>
    </div>
  );
}
