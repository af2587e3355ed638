import type { BenchUse } from '../../jobs/share-policy.ts';
import { localTime, minutesOf } from '../local-time.ts';
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

/** A course that has fewer nodes than it booked. */
export interface Need {
  course: StoredCourse;
  members: ReadonlySet<string>;
  /** Nodes that are missing. */
  nodes: number;
}

/** The courses that have booked more nodes than their members hold. */
export function needsOf(open: readonly StoredCourse[], { nodes }: BenchUse, now: number): Need[] {
  return open.flatMap((course) => {
    const booked = bookedNodes(course, now);
    if (booked === 0) return [];
    const members = new Set(presentMembers(course).map(({ username }) => username));
    const held = nodes.filter(({ holder }) => holder !== null && members.has(holder)).length;
    return held < booked ? [{ course, members, nodes: booked - held }] : [];
  });
}

/** Whether a user is in a course that is in its slot and holds no more nodes than it booked. */
export const isInSlot = (
  user: string,
  open: readonly StoredCourse[],
  { nodes }: BenchUse,
  now: number,
): boolean =>
  open.some((course) => {
    const members = new Set(presentMembers(course).map(({ username }) => username));
    const held = nodes.filter(({ holder }) => holder !== null && members.has(holder)).length;
    return members.has(user) && held <= bookedNodes(course, now);
  });

/** Whether an idle node is left for a user, after those that other courses have booked. */
export function hasIdleNode(owner: string, needs: readonly Need[], { nodes }: BenchUse): boolean {
  const idle = nodes.filter(({ free }) => free).length;
  const reserved = needs
    .filter(({ members }) => !members.has(owner))
    .reduce((sum, need) => sum + need.nodes, 0);
  return idle > reserved;
}
