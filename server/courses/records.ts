import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { nullable, Timestamp } from '../contract/component.ts';
import { CourseId, CourseRequest, MemberView } from '../contract/courses/courses.ts';
import { Booking, Shares } from '../contract/courses/shares.ts';
import { localTime } from '../wall-clock.ts';

const { username, name, role, email, hand } = MemberView.properties;

const StoredMember = Type.Object({
  username,
  name,
  role,
  email,
  hand,
  shares: nullable(Shares),
  /** The user had a key before the course, so the course neither makes nor revokes keys for it. */
  own_key: Type.Boolean(),
  /** Has left, or was removed: its hand-ins stay. */
  left: Type.Boolean(),
});
export type StoredMember = Static<typeof StoredMember>;

const StoredCourse = Type.Object({
  course_id: CourseId,
  name: CourseRequest.properties.name,
  time_zone: Type.String(),
  ends_on: nullable(Type.String()),
  group: nullable(Type.String()),
  shares: Shares,
  priority: Type.Integer(),
  bookings: Type.Array(Booking),
  code: nullable(Type.String()),
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

/** A course is replaced, never changed in place, so its members are listed by username once. */
const byUsername = new WeakMap<StoredCourse, ReadonlyMap<string, StoredMember>>();

/** The membership of a user; undefined for somebody else, and for who has left. */
export function membershipOf(course: StoredCourse, username: string): StoredMember | undefined {
  let members = byUsername.get(course);
  if (!members) {
    members = new Map(presentMembers(course).map((member) => [member.username, member]));
    byUsername.set(course, members);
  }
  return members.get(username);
}

/** Usernames of the teachers. */
export const teachersOf = (course: StoredCourse): Set<string> =>
  new Set(presentMembers(course).flatMap(({ username, role }) => (role === 'teacher' ? [username] : [])));

/** Whether the last day of the term has passed, by the clock of the course. @param now ms since the epoch */
export const isOver = ({ ends_on, time_zone }: StoredCourse, now: number): boolean =>
  ends_on !== null && localTime(time_zone, now).date > ends_on;
