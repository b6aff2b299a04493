import { executionNameOf } from '../../../tables/model/runner/names.ts';

/** Who holds the lock, as people say it: `ana@host:12`, `the execution migrate-1700000000000-1`. */
export function holderText(holder: string): string {
  const name = executionNameOf(holder);
  return name === undefined ? holder : `the execution ${name}`;
}
