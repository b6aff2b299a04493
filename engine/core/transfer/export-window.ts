import type { NativeExportRequest, PitrState } from './native-store.ts';

/** DynamoDB Developer Guide, "Requesting a table export": an incremental export covers 15 minutes to 24 hours. */
export const minWindowMs = 15 * 60 * 1_000;
export const maxWindowMs = 24 * 60 * 60 * 1_000;

/** What keeps DynamoDB from exporting as of a moment, or the changes between two. */
export function exportWindowProblems(wanted: Pick<NativeExportRequest, 'asOf' | 'window'>, pitr: PitrState): readonly string[] {
  const earliest = Date.parse(pitr.earliest ?? '');
  const latest = Date.parse(pitr.latest ?? '');
  const outside = (name: string, time: string): readonly string[] => {
    const at = Date.parse(time);
    if (Number.isNaN(at)) return [`${name}: expected a time such as 2026-11-14T10:00:00Z, found ${time}`];
    // Times beyond what the server said are left for it to judge.
    return at < earliest || at > latest ? [`${name}: ${time} is outside of what can be recovered`] : [];
  };
  if (wanted.asOf !== undefined) return outside('--as-of', wanted.asOf);
  if (wanted.window === undefined) return [];
  const { from, to } = wanted.window;
  const problems = [...outside('--since', from), ...outside('--until', to)];
  if (problems.length > 0) return problems;
  const length = Date.parse(to) - Date.parse(from);
  if (length >= minWindowMs && length <= maxWindowMs) return [];
  return [`--since and --until: expected 15 minutes to 24 hours between them, found ${Math.round(length / 60_000)} minutes`];
}
