import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  instantAt,
  isDate,
  isTimeZone,
  localTime,
  minutesOf,
  startOfDay,
  wallClock,
} from '../../../../server/contract/wall-clock.ts';

test('a moment is read from the clock on the wall of the time zone', () => {
  const at = Date.parse('2026-07-07T22:30:30Z');
  expect(wallClock('Europe/Berlin', at)).toBe('2026-07-08T00:30');
  expect(localTime('Europe/Berlin', at)).toEqual({ weekday: 'wednesday', minutes: 30 });
  expect(localTime('America/Los_Angeles', at)).toEqual({ weekday: 'tuesday', minutes: 930 });
  expect(wallClock('UTC', at)).toBe('2026-07-07T22:30');
});

test('a clock change moves the hands of the clock', () => {
  // Europe: on 2026-10-25 at 01:00 UTC clocks go back from 03:00 to 02:00.
  expect(localTime('Europe/Berlin', Date.parse('2026-10-25T00:59:00Z')).minutes).toBe(2 * 60 + 59);
  expect(localTime('Europe/Berlin', Date.parse('2026-10-25T01:00:00Z')).minutes).toBe(2 * 60);
});

test.each([
  ['before clocks go forward', '2026-03-29T01:59', '2026-03-29T00:59Z'],
  ['an hour that is skipped', '2026-03-29T02:30', '2026-03-29T01:30Z'],
  ['after clocks went forward', '2026-03-29T03:00', '2026-03-29T01:00Z'],
  ['the next midnight', '2026-03-30T00:00', '2026-03-29T22:00Z'],
  ['an hour that comes twice', '2026-10-25T02:30', '2026-10-25T00:30Z'],
  ['after clocks went back', '2026-10-25T03:00', '2026-10-25T02:00Z'],
])('%s, a clock in Berlin shows %s at one moment', (_when, clock, moment) => {
  expect(new Date(instantAt('Europe/Berlin', clock)).toISOString()).toBe(moment.replace('Z', ':00.000Z'));
});

test('a day of the calendar is a date', () => {
  const texts = ['2028-02-29', '2026-02-29', '2026-13-01', '2026-2-1', 'today', ''];
  expect(texts.filter(isDate)).toEqual(['2028-02-29']);
});

test('a time zone has a name that the computer knows', () => {
  expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Mars/Olympus')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(minutesOf('14:05')).toBe(845);
});

test('midnight is right on every day of the year', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'),
      (at, zone) => {
        const midnight = startOfDay(zone, at.getTime());
        const text = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' });
        const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short' });
        expect(text.format(midnight)).toBe('00:00:00');
        expect(day.format(midnight)).toBe(day.format(at));
      },
    ),
  );
});
