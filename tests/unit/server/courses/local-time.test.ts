import { expect, test } from 'vitest';
import { isTimeZone, localTime, minutesOf } from '../../../../server/courses/local-time.ts';

test('a moment is read from the clock on the wall of the time zone', () => {
  const at = Date.parse('2026-07-07T22:30:30Z');
  expect(localTime('Europe/Berlin', at)).toEqual({ date: '2026-07-08', weekday: 'wednesday', minutes: 30.5 });
  expect(localTime('America/Los_Angeles', at)).toEqual({
    date: '2026-07-07',
    weekday: 'tuesday',
    minutes: 930.5,
  });
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
