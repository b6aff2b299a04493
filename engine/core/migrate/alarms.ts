/** An alarm that rings. */
export interface RingingAlarm {
  readonly name: string;
  /** Why, in CloudWatch's words. */
  readonly reason: string;
}

export interface AlarmLook {
  readonly ringing: readonly RingingAlarm[];
  /** Names that no alarm has. */
  readonly missing: readonly string[];
}

/** The alarms that a run holds still for. */
export interface Alarms {
  readonly names: readonly string[];
  look(signal?: AbortSignal): Promise<AlarmLook>;
}

/** `the alarm orders-write-throttles rings (Threshold Crossed: …)`; undefined when none does. */
export function shownAlarms(ringing: readonly RingingAlarm[]): string | undefined {
  const [first, ...more] = ringing;
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.map(({ name }) => name).join(', ')}`;
  const why = first.reason === '' ? '' : ` (${first.reason})`;
  return more.length === 0 ? `the alarm ${first.name} rings${why}` : `the alarms ${first.name}${others} ring${why}`;
}
