import type { CourseChange } from '../contract/courses/courses.ts';
import type { FieldProblem } from '../contract/failures.ts';
import { isTimeZone, minutesOf } from './local-time.ts';

const isDate = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

/** What is wrong with a request of a course although it fits its schema. */
export function courseProblems({ time_zone, ends_on, bookings = [] }: CourseChange): FieldProblem[] {
  const problem = (loc: (string | number)[], msg: string): FieldProblem => ({
    loc: ['body', ...loc],
    msg,
    type: 'value_error',
  });
  return [
    ...(time_zone === undefined || isTimeZone(time_zone)
      ? []
      : [problem(['time_zone'], 'is no time zone that this computer knows, such as Europe/Berlin')]),
    ...(ends_on === undefined || ends_on === null || isDate(ends_on)
      ? []
      : [problem(['ends_on'], 'is no day of the calendar')]),
    ...bookings.flatMap(({ from, to }, at) =>
      minutesOf(from) < minutesOf(to) ? [] : [problem(['bookings', at, 'to'], 'must be later than `from`')],
    ),
  ];
}
