import type { BenchUse } from '../../jobs/share-policy.ts';
import { localTime, minutesOf } from '../../wall-clock.ts';
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
