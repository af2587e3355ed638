import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
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
});

test('a clock change moves the hands of the clock', () => {
  // Europe: on 2026-10-25 at 01:00 UTC clocks go back from 03:00 to 02:00.
  expect(localTime('Europe/Berlin', Date.parse('2026-10-25T00:59:00Z')).minutes).toBe(2 * 60 + 59);
  expect(localTime('Europe/Berlin', Date.parse('2026-10-25T01:00:00Z')).minutes).toBe(2 * 60);
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
