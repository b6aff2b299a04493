import { signal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import type { StackAnswer, Trouble } from '../wire-types.ts';
import { askFor, send, troubleOf } from './api.ts';
import { CutoverPage } from './cutover.tsx';
import { ItemPage } from './item.tsx';
import { MigrationsPage } from './migrations.tsx';
import { ModelPage } from './model.tsx';
import { OverviewPage } from './overview.tsx';
import { Heading, Problem } from './parts.tsx';
import { PatternsPage } from './patterns.tsx';
import { followAddress, linkTo, route, tokenInAddress } from './route.ts';
import { stackFacts } from './stack-facts.ts';
import { TablesPage } from './tables.tsx';
import { TransfersPage } from './transfers.tsx';
import './style.css';

const pages: readonly (readonly [path: string, title: string, page: ComponentType])[] = [
  ['', 'Overview', OverviewPage],
  ['tables', 'Tables', TablesPage],
  ['patterns', 'Patterns', PatternsPage],
  ['model', 'Model', ModelPage],
  ['migrations', 'Migrations', MigrationsPage],
  ['cutover', 'Cut-over', CutoverPage],
  ['transfers', 'Transfers', TransfersPage],
];

const trouble = signal<Trouble | undefined>(undefined);

function Navigation({ here }: { readonly here: string }) {
  return (
    <nav aria-label="Pages">
      <ul>
        {pages.map(([path, title]) => (
          <li key={path}>
            <a href={linkTo(path === '' ? [] : [path])} aria-current={here === path ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function StackLine({ stack }: { readonly stack: StackAnswer }) {
  const where = stack.engine === null ? (stack.endpoint ?? `AWS ${stack.region}`) : `${stack.engine}, this machine`;
  return (
    <p class="stack">
      <strong>{stack.name}</strong>
      {stack.production && <span class="badge bad">production</span>}
      <span class="where">{where}</span>
      {!stack.writes && <span class="badge quiet">read-only</span>}
    </p>
  );
}

function Shell() {
  if (trouble.value !== undefined) {
    return (
      <main class="alone">
        <h1>tablewright console</h1>
        <Problem trouble={trouble.value} />
      </main>
    );
  }
  if (stackFacts.value === undefined) return <main class="alone" aria-busy="true" />;
  const [here = '', , third] = route.value.parts;
  const Page = here === 'tables' && third === 'item' ? ItemPage : pages.find(([path]) => path === here)?.[2];
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <header class="bar">
        <a class="brand" href={linkTo([])}>
          tablewright
        </a>
        <Navigation here={here} />
        <StackLine stack={stackFacts.value} />
      </header>
      <main id="main" tabIndex={-1}>
        {Page === undefined ? <Nowhere /> : <Page key={keyOf(route.value.parts)} />}
      </main>
    </div>
  );
}

/** A page of its own for every address; the model stays, so that whoever chooses tables by keyboard keeps the focus. */
function keyOf(parts: readonly string[]): string {
  return parts[0] === 'model' ? 'model' : parts.join('/');
}

function Nowhere() {
  return (
    <>
      <Heading title="There is no such page" />
      <p>
        <a href={linkTo([])}>Back to the overview</a>
      </p>
    </>
  );
}

function skip(): void {
  document.getElementById('main')?.focus();
}

/** The token in the link's fragment becomes a cookie, and leaves the address before anything else is asked. */
async function begin(): Promise<void> {
  const token = tokenInAddress();
  if (token !== undefined) {
    history.replaceState(null, '', '/#/');
    await send('/api/session', { token });
  }
  followAddress();
  stackFacts.value = await askFor<StackAnswer>('/api/stack');
}

const place = document.getElementById('app');
if (place !== null) render(<Shell />, place);
begin().catch((error) => {
  trouble.value = troubleOf(error);
});
