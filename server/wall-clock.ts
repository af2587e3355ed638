import { WEEKDAYS } from './contract/courses/words.ts';

/** A moment as a clock on the wall of a time zone shows it. */
export interface LocalTime {
  /** YYYY-MM-DD. */
  date: string;
  weekday: (typeof WEEKDAYS)[number];
  /** Minutes since midnight by the hands of the clock, with seconds as a fraction. */
  minutes: number;
}

/** Making a format takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(timeZone, made);
  return made;
}

/** @throws RangeError for an unknown time zone. */
export function localTime(timeZone: string, at: number): LocalTime {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    weekday: (parts['weekday'] ?? '').toLowerCase() as LocalTime['weekday'],
    minutes: Number(parts['hour']) * 60 + Number(parts['minute']) + Number(parts['second']) / 60,
  };
}

const DAY_MINUTES = 1440;

/** The moment of the last midnight in a time zone, ms since the epoch; right also on the day of a clock change. */
export function startOfDay(timeZone: string, now: number): number {
  const { date, minutes } = localTime(timeZone, now);
  const near = now - minutes * 60_000;
  const there = localTime(timeZone, near);
  const off = there.date === date ? -there.minutes : DAY_MINUTES - there.minutes;
  return off === DAY_MINUTES ? near : near + off * 60_000;
}

export const WEEK_MINUTES = 7 * DAY_MINUTES;

/** Minutes since Monday 00:00. @param minutes since midnight of the day */
export const minuteOfWeek = (day: LocalTime['weekday'], minutes: number): number =>
  WEEKDAYS.indexOf(day) * DAY_MINUTES + minutes;

/** Whether the name is in this computer's list of time zones. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
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
