// How numbers are written for people, in every command and report.

/** 12345.67 as `12,345.7`: at most one digit behind the point. */
export function showNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** `1 item`, `12,345 items` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${showNumber(count)} ${count === 1 ? one : many}`;
}

/** Capacity units; always one digit behind the point, as half a unit is the least that is charged. */
export function showUnits(units: number): string {
  return units.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** `0.4 s`, `48 s`, `2 min 1 s`, `3 h 20 min` */
export function showDuration(seconds: number): string {
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** 0.683 as `68 %`; what is little keeps a digit that shows it. */
export function showShare(share: number): string {
  const percent = share * 100;
  return `${percent >= 10 ? Math.round(percent) : percent.toLocaleString('en-US', { maximumSignificantDigits: 2 })} %`;
}

export function showBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const steps = ['KB', 'MB', 'GB', 'TB'];
  const step = Math.min(steps.length, Math.floor(Math.log2(bytes) / 10));
  return `${showUnits(bytes / 1_024 ** step)} ${steps[step - 1]}`;
}

/** Dollars with as many digits as it takes to show more than nothing. */
export function showCost(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  return dollars >= 0.0001 ? `$${dollars.toFixed(4)}` : 'below $0.0001';
}
