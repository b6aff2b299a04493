/** Tickets by their number: the same ones in every process of the example. */
export type Keys = 'single' | 'several';

export const teams = 20;
/** Tickets of these teams are never written again, so that a reader knows what it has to get. */
export const quietTeams = 4;

export const idOf = (number: number): string => `t${String(number).padStart(6, '0')}`;
export const teamOf = (number: number): string => `team-${number % teams}`;
export const isQuiet = (number: number): boolean => number % teams < quietTeams;

const day = 86_400_000;
const timeOf = (year: number, number: number): string =>
  new Date(Date.UTC(year, 0, 1) + (number % 300) * day + number * 1_000).toISOString();

/** The time that a ticket is made at is the example's own: nothing in it depends on when it is run. */
export function ticketOf(keys: Keys, number: number, { version = 0, year = 2022 } = {}) {
  const base = {
    id: idOf(number),
    team:
      isQuiet(number) || version % 3 !== 2 ? teamOf(number) : `team-${quietTeams + ((number + version) % (teams - quietTeams))}`,
    openedAt: timeOf(2021, number * 7 + version),
    state: (number + version) % 3 === 0 ? 'done' : 'open',
    createdAt: timeOf(year, number),
  };
  return keys === 'single' ? base : { ...base, priority: (number + version) % 12 };
}
