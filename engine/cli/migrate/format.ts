/** 12345 as `12,345`; at most one decimal. */
export function formatCount(value: number): string {
  return (Math.round(value * 10) / 10).toLocaleString('en-US');
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
}

/** Dollars with as many digits as it takes to show more than nothing. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  return dollars >= 0.0001 ? `$${dollars.toFixed(4)}` : 'below $0.0001';
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
