import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DurationField,
  durationText,
  parseDuration,
  splitDuration,
  unitsOf,
} from '../../../renderer/src/screens/settings/duration.ts';

const field = (change: Partial<DurationField> = {}): DurationField => ({
  kind: 'number',
  label: 'A session expires after',
  help: '',
  unit: 'seconds',
  min: 10,
  max: 604_800,
  default: 3600,
  ...change,
});

test('a displayed duration is parsed to its stored value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 604_800 }), (value) => {
      const { number, unit } = splitDuration(field(), value);
      expect(parseDuration(field(), String(number), unit)).toEqual({ value, unit });
    }),
  );
});

test('a unit typed after the number overrides the selected one', () => {
  expect(parseDuration(field(), '10 min', 'seconds')).toEqual({ value: 600, unit: 'minutes' });
  expect(parseDuration(field(), '2h', 'seconds')).toEqual({ value: 7200, unit: 'hours' });
  expect(parseDuration(field(), '90', 'seconds')).toEqual({ value: 90, unit: 'seconds' });
});

test('a value outside the limits is refused, with the limits in their units', () => {
  expect(parseDuration(field(), '5', 'seconds')).toEqual({ problem: 'Enter 10 seconds to 1 week.' });
  expect(parseDuration(field(), '8', 'days')).toEqual({ problem: 'Enter 10 seconds to 1 week.' });
  for (const typed of ['', 'x', '1.5', '-3', '3 months'])
    expect(parseDuration(field(), typed, 'hours')).toEqual({ problem: 'Enter a whole number.' });
});

test('days are stored as days, and empty as null if that is allowed', () => {
  const days = field({ unit: 'days', min: 1, max: 3650, empty: 'never' });
  expect(unitsOf(days)).toEqual(['days', 'weeks']);
  expect(durationText(days, 14)).toBe('2 weeks');
  expect(parseDuration(days, '3 weeks', 'days')).toEqual({ value: 21, unit: 'weeks' });
  expect(parseDuration(days, '', 'days')).toEqual({ value: null, unit: 'days' });
});
