import { NODE_COUNT } from '../../contract/boards/node-count.ts';
import { localTime, minuteOfWeek, minutesOf, momentOf } from '../../contract/wall-clock.ts';
import { coursesError } from '../../errors/courses.ts';
import type { StoredCourse } from '../records.ts';

/** Nodes that a course has booked at a moment, by the clock on its wall. */
export function bookedNodes({ bookings, time_zone }: StoredCourse, now: number): number {
  if (bookings.length === 0) return 0;
  const { weekday, minutes } = localTime(time_zone, now);
  const present = bookings.filter(
    ({ day, from, to }) => day === weekday && minutesOf(from) <= minutes && minutes < minutesOf(to),
  );
  return present.reduce((sum, { nodes }) => sum + nodes, 0);
}

/** Mondays of weeks without a clock change, in either half of the year: zones change at different times. */
const MONDAYS = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 13)];

/**
 * Refuses bookings that, with those of the other open courses, ask for more nodes at one time than the bench has.
 * @throws too_many_booked, with the courses and the time.
 */
export function requireNodesFor(course: StoredCourse, open: readonly StoredCourse[]): void {
  const all = [course, ...open.filter(({ course_id }) => course_id !== course.course_id)];
  const begins = all.flatMap(({ bookings, time_zone: zone }) => bookings.map((one) => ({ ...one, zone })));
  // The most nodes are booked where a booking begins.
  for (const monday of MONDAYS)
    for (const { day, from, zone } of begins) {
      const at = momentOf(zone, monday + minuteOfWeek(day, minutesOf(from)) * 60_000);
      if (bookedNodes(course, at) === 0) continue;
      const booked = all.map((one) => ({ name: one.name, nodes: bookedNodes(one, at) }));
      const nodes = booked.reduce((sum, one) => sum + one.nodes, 0);
      if (nodes <= NODE_COUNT) continue;
      const parts = booked.flatMap((one) => (one.nodes > 0 ? [`${one.name} books ${one.nodes}`] : []));
      throw coursesError('too_many_booked', {
        message: `On ${day} at ${from} (${zone}) ${parts.join(', ')}: ${nodes} of ${NODE_COUNT} nodes.`,
      });
    }
}
