import { signal } from '@preact/signals';

export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function present(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    parts: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: new URLSearchParams(query),
  };
}

/** What a printed link has in its fragment. */
export function tokenInAddress(): string | undefined {
  return /^#token=(.+)$/.exec(location.hash)?.[1];
}

/** Somebody may have typed a `%` that is none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Where the reader is: the fragment of the address, so that every view has one. */
export const route = signal<Route>(present());

export function followAddress(): void {
  addEventListener('hashchange', () => {
    // Somebody has put the link of a console that was started anew into a page of the one before.
    if (tokenInAddress() !== undefined) location.reload();
    else route.value = present();
  });
  route.value = present();
}

export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}
