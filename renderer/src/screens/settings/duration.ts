import type { NumberField } from '../../../../server/contract/setting-fields.ts';
import { text } from '../../text/text.ts';

const t = text.settings;

/** Units of a duration, in seconds; the smallest first. */
const UNIT_SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 } as const;
export type DurationUnit = keyof typeof UNIT_SECONDS;
const ALL_UNITS = Object.keys(UNIT_SECONDS) as DurationUnit[];

/** A number field that is a duration, stored in seconds or in days. */
export type DurationField = NumberField & { unit: 'seconds' | 'days' };

export const isDuration = (field: NumberField): field is DurationField =>
  field.unit === 'seconds' || field.unit === 'days';

/** The size of a unit in the unit that is stored. */
const sizeOf = (field: DurationField, unit: DurationUnit): number =>
  UNIT_SECONDS[unit] / UNIT_SECONDS[field.unit];

/** Units that a person may choose: none that the limits leave without a whole number. */
export const unitsOf = (field: DurationField): DurationUnit[] =>
  ALL_UNITS.filter((unit) => sizeOf(field, unit) >= 1 && sizeOf(field, unit) <= field.max);

/** A stored duration as a number of the largest unit that gives a whole one. */
export function splitDuration(field: DurationField, value: number): { number: number; unit: DurationUnit } {
  const unit =
    unitsOf(field).findLast((one) => value !== 0 && value % sizeOf(field, one) === 0) ?? field.unit;
  return { number: value / sizeOf(field, unit), unit };
}

/** A stored duration in words, such as `10 minutes`. */
export function durationText(field: DurationField, value: number): string {
  const { number, unit } = splitDuration(field, value);
  return t.durations[unit](number);
}

/** A unit as people type it after a number: `10 min`, `2h`. */
const unitNamed = (word: string): DurationUnit | undefined =>
  word === 'm' ? 'minutes' : ALL_UNITS.find((unit) => unit.startsWith(word));

/**
 * Parses what was typed in a unit; a unit after the number takes its place, as in `10 min`. Returns the value to store
 * and its unit, or the problem.
 */
export function parseDuration(
  field: DurationField,
  typed: string,
  unit: DurationUnit,
): { value: number | null; unit: DurationUnit } | { problem: string } {
  const trimmed = typed.trim().toLowerCase();
  if (trimmed === '' && field.empty !== undefined) return { value: null, unit };
  const [, digits, word] = /^(\d+)\s*([a-z]*)$/.exec(trimmed) ?? [];
  const used = word ? unitNamed(word) : unit;
  if (digits === undefined || used === undefined || !unitsOf(field).includes(used))
    return { problem: t.notNumber };
  const value = Number(digits) * sizeOf(field, used);
  if (value < field.min || value > field.max)
    return { problem: t.outOfRange(durationText(field, field.min), durationText(field, field.max)) };
  return { value, unit: used };
}
