import { NODE_COUNT } from '../../contract/boards/node-count.ts';
import type { Booking } from '../../contract/courses/shares.ts';
import { coursesError } from '../../errors/courses.ts';
import type { BenchUse } from '../../jobs/share-policy.ts';
import { localTime, minuteOfWeek, minutesOf, WEEK_MINUTES } from '../../wall-clock.ts';
import { presentMembers, type StoredCourse } from '../records.ts';

/** Nodes that a course has booked at a moment, by the clock on its wall. */
export function bookedNodes({ bookings, time_zone }: StoredCourse, now: number): number {
  if (bookings.length === 0) return 0;
  const { weekday, minutes } = localTime(time_zone, now);
  const present = bookings.filter(
    ({ day, from, to }) => day === weekday && minutesOf(from) <= minutes && minutes < minutesOf(to),
  );
  return present.reduce((sum, { nodes }) => sum + nodes, 0);
}

/** A course in a slot that it has booked. */
export interface BookedSlot {
  members: ReadonlySet<string>;
  booked: number;
  /** Nodes that its members hold; it may be more than it booked. */
  held: number;
}

/** The slots of a moment. */
export function slotsAt(open: readonly StoredCourse[], { nodes }: BenchUse, now: number): BookedSlot[] {
  return open.flatMap((course) => {
    const booked = bookedNodes(course, now);
    if (booked === 0) return [];
    const members = new Set(presentMembers(course).map(({ username }) => username));
    const held = nodes.filter(({ holder }) => holder !== null && members.has(holder)).length;
    return [{ members, booked, held }];
  });
}

/** Booked nodes that the members of a course do not hold. */
export const missingIn = ({ booked, held }: BookedSlot): number => Math.max(0, booked - held);

/** Whether an idle node is left for a user, after those that other courses have booked. */
export function hasIdleNode(owner: string, slots: readonly BookedSlot[], { nodes }: BenchUse): boolean {
  const others = slots.filter(({ members }) => !members.has(owner));
  const reserved = others.reduce((sum, slot) => sum + missingIn(slot), 0);
  return nodes.filter(({ free }) => free).length > reserved;
}

/** Monday 00:00 UTC of a week without a clock change, in either half of the year: zones change at different times. */
const WEEKS = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 13)];

/** A booking in such a week. */
interface WeekSlot {
  course: StoredCourse;
  booking: Booking;
  /** Minutes since Monday 00:00 UTC; the week goes round. */
  start: number;
  minutes: number;
}

const aroundWeek = (minutes: number): number => ((minutes % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;

function slotsOf(course: StoredCourse, monday: number): WeekSlot[] {
  if (course.bookings.length === 0) return [];
  const { weekday, minutes } = localTime(course.time_zone, monday);
  return course.bookings.map((booking) => {
    const from = minutesOf(booking.from);
    const start = aroundWeek(minuteOfWeek(booking.day, from) - minuteOfWeek(weekday, minutes));
    return { course, booking, start, minutes: minutesOf(booking.to) - from };
  });
}

/**
 * Refuses bookings that, with those of the other open courses, ask for more nodes at one time than the bench has.
 * @throws too_many_booked, with the courses and the time.
 */
export function requireNodesFor(course: StoredCourse, open: readonly StoredCourse[]): void {
  const all = [course, ...open.filter(({ course_id }) => course_id !== course.course_id)];
  for (const monday of WEEKS) {
    const slots = all.flatMap((one) => slotsOf(one, monday));
    // The most nodes are booked where a slot begins.
    for (const first of slots) {
      const present = slots.filter(({ start, minutes }) => aroundWeek(first.start - start) < minutes);
      const nodes = present.reduce((sum, { booking }) => sum + booking.nodes, 0);
      if (nodes <= NODE_COUNT || !present.some((slot) => slot.course === course)) continue;
      const { day, from } = first.booking;
      const parts = present.map((slot) => `${slot.course.name} books ${slot.booking.nodes}`);
      throw coursesError('too_many_booked', {
        message: `On ${day} at ${from} (${first.course.time_zone}) ${parts.join(', ')}: ${nodes} of ${NODE_COUNT} nodes.`,
      });
    }
  }
}
