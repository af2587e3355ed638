/** The time on a clock on the wall of a time zone, as `2026-03-29T14:05`. @param zone IANA name @throws RangeError */
export function wallClock(instant: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(instant);
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/** The inverse of `wallClock`, ms since 1970. A time that a clock change skips becomes a later one. */
export function instantAt(clock: string, zone: string): number {
  const utc = Date.parse(`${clock}:00Z`);
  const offsetAt = (instant: number) => Date.parse(`${wallClock(instant, zone)}:00Z`) - instant;
  const day = 86_400_000;
  // By the offset before a clock change, else by the one after it.
  const before = utc - offsetAt(utc - day);
  const after = utc - offsetAt(utc + day);
  return wallClock(before, zone) !== clock && wallClock(after, zone) === clock ? after : before;
}
