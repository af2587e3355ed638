import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { nullable, Timestamp } from '../contract/component.ts';
import { CourseId, CourseRequest, MemberView } from '../contract/courses/courses.ts';
import { Booking, Shares } from '../contract/courses/shares.ts';

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
