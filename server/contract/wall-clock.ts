import { WEEKDAYS } from './courses/words.ts';

/** A moment as a clock on the wall of a time zone shows it. */
export interface LocalTime {
  weekday: (typeof WEEKDAYS)[number];
  /** Whole minutes since midnight by the hands of the clock. */
  minutes: number;
}

const DAY_MS = 86_400_000;
/** Zones change their clocks at full quarters of an hour. */
const QUARTER_MS = 900_000;

/** What is known of a time zone. */
interface Zone {
  /** Making it takes longer than using it a hundred times. */
  format: Intl.DateTimeFormat;
  /** Quarter of an hour since the epoch → ms ahead of UTC: to ask takes longer than the rest of an answer. */
  offsets: Map<number, number>;
}
const zones = new Map<string, Zone>();
const MAX_OFFSETS = 1000;

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
  const made = { format, offsets: new Map<number, number>() };
  zones.set(name, made);
  return made;
}

/** @throws RangeError for an unknown time zone. */
function offsetAt(zone: string, at: number): number {
  const { format, offsets } = zoneOf(zone);
  const quarter = Math.floor(at / QUARTER_MS);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  // Some systems write `GMT+00:00` as `GMT`.
  const [, sign, hours, minutes] = /GMT([+-]?)(\d*):?(\d*)/.exec(format.format(at)) as RegExpExecArray;
  const ms = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(quarter, ms);
  return ms;
}

/** The hands of the clock of a zone, ms, as if the zone were UTC. */
const handsAt = (zone: string, at: number): number => at + offsetAt(zone, at);

/** The inverse of `handsAt`. A time that a clock change skips becomes a later one; of one that comes twice, the first. */
export function momentOf(zone: string, hands: number): number {
  const before = hands - offsetAt(zone, hands - DAY_MS);
  const after = hands - offsetAt(zone, hands + DAY_MS);
  return handsAt(zone, before) !== hands && handsAt(zone, after) === hands ? after : before;
}

/** A moment as `2026-03-29T14:05`. @param at ms since the epoch @throws RangeError for an unknown time zone. */
export const wallClock = (zone: string, at: number): string =>
  new Date(handsAt(zone, at)).toISOString().slice(0, 16);

/** The inverse of `wallClock`, ms since the epoch; see `momentOf`. */
export const instantAt = (zone: string, clock: string): number => momentOf(zone, Date.parse(`${clock}Z`));

/** @throws RangeError for an unknown time zone. */
export function localTime(zone: string, at: number): LocalTime {
  const hands = new Date(handsAt(zone, at));
  return {
    weekday: WEEKDAYS[(hands.getUTCDay() + 6) % 7] as LocalTime['weekday'],
    minutes: hands.getUTCHours() * 60 + hands.getUTCMinutes(),
  };
}

/** The moment of the last midnight in a time zone, ms since the epoch; right also on the day of a clock change. */
export function startOfDay(zone: string, now: number): number {
  const hands = handsAt(zone, now);
  return momentOf(zone, hands - (hands % DAY_MS));
}

/** Minutes since Monday 00:00. @param minutes since midnight of the day */
export const minuteOfWeek = (day: LocalTime['weekday'], minutes: number): number =>
  WEEKDAYS.indexOf(day) * 1440 + minutes;

/** Whether the name is in this computer's list of time zones. */
export function isTimeZone(name: string): boolean {
  try {
    zoneOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The time zone of this computer. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Minutes of `HH:MM`. */
export const minutesOf = (timeOfDay: string): number =>
  Number(timeOfDay.slice(0, 2)) * 60 + Number(timeOfDay.slice(3));

/** Whether `YYYY-MM-DD` is a day of the calendar. */
export function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
