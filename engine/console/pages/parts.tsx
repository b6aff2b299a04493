import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Trouble } from '../wire-types.ts';
import type { Asked } from './api.ts';

/** The heading of a page; it takes the focus when the page comes, so that a screen reader says where one is. */
export function Heading({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · tablewright console`;
    if (document.activeElement?.closest('nav') === null || document.activeElement === document.body) heading.current?.focus();
  }, [title]);
  return (
    <header class="heading">
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </header>
  );
}

interface PanelProps {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly wide?: boolean;
  readonly children?: ComponentChildren;
}

export function Panel({ title, aside, wide = false, children }: PanelProps) {
  return (
    <section class={wide ? 'panel wide' : 'panel'} aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** What went wrong, and the next step. */
export function Problem({ trouble }: { readonly trouble: Trouble }) {
  return (
    <div class="trouble" role="alert">
      <strong>{trouble.error}</strong> {trouble.message}
      {trouble.problems.length > 0 && (
        <ul>
          {trouble.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {trouble.next !== undefined && <p>→ {trouble.next}</p>}
    </div>
  );
}

/** Shows an answer when it is there, and what is the matter when it is not. */
export function Answered<T>({
  asked,
  children,
}: {
  readonly asked: Asked<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (asked.trouble !== undefined) return <Problem trouble={asked.trouble} />;
  if (asked.value === undefined) {
    return (
      <p class="quiet" role="status">
        Loading …
      </p>
    );
  }
  return <>{children(asked.value)}</>;
}

const tones: Readonly<Record<string, string>> = {
  verified: 'good',
  query: 'good',
  ACTIVE: 'good',
  complete: 'good',
  holds: 'good',
  running: 'busy',
  applied: 'busy',
  shadow: 'busy',
  'rolling-back': 'busy',
  interrupted: 'warn',
  incomplete: 'warn',
  pending: 'quiet',
  failed: 'bad',
  missing: 'bad',
  differs: 'bad',
};

/** A state: its word says it, the colour only helps. */
export function Badge({ state }: { readonly state: string }) {
  return <span class={`badge ${tones[state] ?? 'quiet'}`}>{state}</span>;
}

interface GridProps {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Columns of numbers. */
  readonly numbers?: readonly number[];
  /** Columns that stay on one line. */
  readonly tight?: readonly number[];
  readonly empty?: string;
}

const as = (role: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'cell') => ({ role });

/**
 * A table that scrolls by itself where it is wider than the screen; on a narrow one each row is a list of its own. Roles are
 * said, because a browser forgets them with the layout of a table.
 */
export function Grid({ label, head, rows, numbers = [], tight = [], empty = 'None.' }: GridProps) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  const kind = (at: number) => (numbers.includes(at) ? 'number' : tight.includes(at) ? 'tight' : undefined);
  return (
    <div class="scroll grid" tabIndex={0} role="group" aria-label={label}>
      <table {...as('table')}>
        <thead {...as('rowgroup')}>
          <tr {...as('row')}>
            {head.map((cell, at) => (
              <th scope="col" {...as('columnheader')} class={kind(at)} key={at}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...as('rowgroup')}>
          {rows.map((row, place) => (
            <tr {...as('row')} key={place}>
              {row.map((cell, at) => (
                <td {...as('cell')} class={kind(at)} data-head={head[at]} key={at}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Text to take away. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [told, setTold] = useState<string>();
  const copy = async () => {
    const outcome = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Not allowed here: select it',
    );
    setTold(outcome);
    setTimeout(() => setTold(undefined), 2_000);
  };
  return (
    <button type="button" class="second small" onClick={copy}>
      {told ?? 'Copy'}
      <span class="hidden"> {label}</span>
    </button>
  );
}

interface CodeProps {
  readonly text: string;
  readonly label: string;
  /** Beside its own button; where it is left out, the panel has both. */
  readonly title?: string;
}

export function Code({ text, label, title }: CodeProps) {
  return (
    <div class="code">
      {title !== undefined && (
        <div class="panel-head">
          <h3>{title}</h3>
          <CopyButton text={text} label={label} />
        </div>
      )}
      <pre tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
    </div>
  );
}

/** A long name may go on in the next line between its words, and nowhere else. */
export function breakable(name: string) {
  return name.split(/(?<=\.)|(?=[A-Z])/).map((word, at) => (
    <Fragment key={at}>
      {word}
      <wbr />
    </Fragment>
  ));
}
