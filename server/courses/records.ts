import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { nullable, Timestamp } from '../contract/component.ts';
import { CourseView, MemberView } from '../contract/courses/courses.ts';
import { Shares } from '../contract/courses/shares.ts';
import { wallClock } from '../contract/wall-clock.ts';
import { coursesError } from '../errors/courses.ts';

const { username, name: memberName, role, email, hand } = MemberView.properties;
const { course_id, name, time_zone, ends_on, group, shares, priority, bookings, code } =
  CourseView.properties;

const StoredMember = Type.Object({
  ...{ username, name: memberName, role, email, hand },
  shares: nullable(Shares),
  /** The user had a key before the course, so the course neither makes nor revokes keys for it. */
  own_key: Type.Boolean(),
  /** Has left, or was removed: its hand-ins stay. */
  left: Type.Boolean(),
});
export type StoredMember = Static<typeof StoredMember>;

const StoredCourse = Type.Object({
  ...{ course_id, name, time_zone, ends_on, group, shares, priority, bookings, code },
  /** Number of the next username that is made. */
  next_number: Type.Integer({ minimum: 1 }),
  /** The keys of its members were revoked when its term ended. */
  keys_revoked: Type.Boolean(),
  created_at: Timestamp('When it was made.'),
  members: Type.Array(StoredMember),
});
export type StoredCourse = Static<typeof StoredCourse>;

/** The document `courses`. */
export const areStoredCourses = checkOf(Type.Array(StoredCourse));

/** The members who have not left. */
export const presentMembers = ({ members }: Pick<StoredCourse, 'members'>): StoredMember[] =>
  members.filter(({ left }) => !left);

/** The membership of a user; undefined for somebody else. @param left also of who has left */
export const membershipOf = (
  { members }: StoredCourse,
  username: string,
  { left = false } = {},
): StoredMember | undefined => members.find((one) => one.username === username && (left || !one.left));

/** @throws member_not_found. */
export function requireMember(
  course: StoredCourse,
  username: string,
  among?: { left: boolean },
): StoredMember {
  const member = membershipOf(course, username, among);
  if (!member) throw coursesError('member_not_found');
  return member;
}

/** Whether the last day of the term has passed, by the clock of the course. @param now ms since the epoch */
export const isOver = ({ ends_on, time_zone }: StoredCourse, now: number): boolean =>
  ends_on !== null && wallClock(time_zone, now).slice(0, 10) > ends_on;
