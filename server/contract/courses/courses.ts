import Type, { type Static } from 'typebox';
import { component, enumOf, nullable, Timestamp } from '../component.ts';
import { KeyView } from '../identity/identity.ts';
import { Booking, Shares, ShareUse } from './shares.ts';
import { COURSE_ROLES, type CourseRole } from './words.ts';

export type { CourseRole } from './words.ts';

const strict = { additionalProperties: false } as const;

/** Courses of a bench, and members of a course. */
export const MAX_COURSES = 50;
export const MAX_MEMBERS = 500;

export const CourseId = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
  description: 'Names the course, e.g. `digital-design-1`; made from its name.',
});

/** One printable line. */
const line = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    description,
  });

const Role = enumOf(COURSE_ROLES);

/** The user of the bench: owner of jobs and sessions. Everybody on the bench sees it. */
export const Username = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    'The member on the bench, as owner of jobs and sessions. Made from the id of the course, unless the member already had a key.',
});

const member = {
  username: Username,
  name: line(128, 'The member’s name; only the course sees it.'),
  role: Role,
};

const Hand = Type.Object(
  { at: Timestamp('When it was raised.'), message: Type.String() },
  { description: 'The raised hand; null if it is down.' },
);

export const MemberView = component(
  'CourseMember',
  Type.Object({
    ...member,
    email: nullable(Type.String({ description: 'Only teachers see it; null if none is known.' })),
    invited: Type.Boolean({ description: 'An invitation is open.' }),
    signed_in: Type.Boolean({ description: 'The member has a key.' }),
    shares: nullable(Shares),
    used: ShareUse,
    last_access_at: Type.Optional(
      nullable(Timestamp('Last access to the held node; null while none is held.')),
    ),
    hand: nullable(Hand),
  }),
);
export type MemberView = Static<typeof MemberView>;

const course = {
  name: line(100, 'Its name.'),
  time_zone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, e.g. `Europe/Berlin`.' }),
  ends_on: nullable(
    Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      description: 'Last day of the term. After it the course is closed and its members’ keys are revoked.',
    }),
  ),
  group: nullable(
    line(128, 'Group of the identity provider: who signs in with it becomes a student. Null: no group.'),
  ),
  shares: Shares,
  priority: Type.Integer({
    minimum: 0,
    maximum: 9,
    description: 'Its waiting jobs go before those of lower priority; everybody else has 0.',
  }),
  bookings: Type.Array(Booking, { maxItems: 50 }),
};

export const CourseSummary = component(
  'CourseSummary',
  Type.Object({
    course_id: CourseId,
    name: course.name,
    role: Type.Union([Role, Type.Null()], {
      description: 'Of the caller; null for an operator who is not a member.',
    }),
    closed: Type.Boolean({ description: 'Its term is over.' }),
    members: Type.Integer(),
    assignments: Type.Integer(),
    hands: Type.Integer({ description: 'Raised hands.' }),
    raised: Type.Array(Type.Object({ username: Username, name: member.name, ...Hand.properties }), {
      description: 'Whose hands are up, the longest wait first; empty for students.',
    }),
  }),
);
export type CourseSummary = Static<typeof CourseSummary>;

export const CourseView = component(
  'Course',
  Type.Object({
    course_id: CourseId,
    ...course,
    closed: Type.Boolean({ description: 'Its term is over.' }),
    role: Type.Union([Role, Type.Null()], {
      description: 'Of the caller; null for an operator who is not a member.',
    }),
    username: Type.String({ description: 'Of the caller.' }),
    code: nullable(Type.String({ description: 'The code to join; only teachers see it. Null: closed.' })),
    booked_now: Type.Integer({ description: 'Nodes that a booking reserves for the course now.' }),
    members: Type.Array(MemberView, {
      description: 'All members for a teacher; for a student the teachers and itself.',
    }),
  }),
);
export type CourseView = Static<typeof CourseView>;

export const CourseRequest = component(
  'CourseRequest',
  Type.Object(
    {
      name: course.name,
      time_zone: Type.Optional(
        Type.String({
          ...course.time_zone,
          description: 'IANA name; default the one of the bench’s computer.',
        }),
      ),
      ends_on: Type.Optional(course.ends_on),
      group: Type.Optional(course.group),
      shares: Type.Optional(Shares),
      priority: Type.Optional(course.priority),
      bookings: Type.Optional(course.bookings),
    },
    strict,
  ),
);
export type CourseRequest = Static<typeof CourseRequest>;

export const CourseChange = component('CourseChange', Type.Partial(CourseRequest, strict));
export type CourseChange = Static<typeof CourseChange>;

export const MembersRequest = component(
  'MembersRequest',
  Type.Object(
    {
      members: Type.Array(
        Type.Object(
          {
            name: member.name,
            email: Type.Optional(nullable(Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' }))),
            role: Type.Optional(Type.Unsafe<CourseRole>({ ...Role, default: 'student' })),
            username: Type.Optional(
              Type.String({
                ...Username,
                description: 'An existing user of the bench; only an operator may name one.',
              }),
            ),
          },
          strict,
        ),
        { minItems: 1, maxItems: MAX_MEMBERS },
      ),
    },
    strict,
  ),
);
export type MembersRequest = Static<typeof MembersRequest>;

export const MemberChange = component(
  'MemberChange',
  Type.Object(
    {
      name: Type.Optional(member.name),
      role: Type.Optional(member.role),
      shares: Type.Optional(nullable(Shares)),
    },
    strict,
  ),
);
export type MemberChange = Static<typeof MemberChange>;

export const AddedMembers = component(
  'AddedMembers',
  Type.Object({
    added: Type.Array(Type.Object(member)),
    present: Type.Array(Type.String(), {
      description: 'Names that the course has already; they are unchanged.',
    }),
  }),
);
export type AddedMembers = Static<typeof AddedMembers>;

export const InvitationsRequest = component(
  'InvitationsRequest',
  Type.Object(
    {
      usernames: Type.Optional(
        Type.Array(Username, {
          minItems: 1,
          maxItems: MAX_MEMBERS,
          description: 'Members to invite; default all who have never signed in. Their earlier links expire.',
        }),
      ),
      expires_in_s: Type.Optional(Type.Integer({ minimum: 60, maximum: 30 * 86_400, default: 14 * 86_400 })),
    },
    strict,
  ),
);
export type InvitationsRequest = Static<typeof InvitationsRequest>;

export const InvitationSheet = component(
  'InvitationSheet',
  Type.Array(
    Type.Object({
      ...member,
      email: nullable(Type.String()),
      url: Type.String({ description: 'Signs the member in once.' }),
      expires_at: Timestamp('When it expires.'),
    }),
  ),
);
export type InvitationSheet = Static<typeof InvitationSheet>;

export const JoinRequest = component(
  'JoinRequest',
  Type.Object(
    {
      code: Type.String({ minLength: 1, maxLength: 64, description: 'The code that the teacher shows.' }),
      name: member.name,
    },
    strict,
  ),
);

export const Joined = component(
  'Joined',
  Type.Object({
    course_id: CourseId,
    username: Username,
    api_key: nullable(
      Type.String({ description: 'The new member’s key, shown once; null if the caller had one.' }),
    ),
    key: nullable(KeyView),
  }),
);
export type Joined = Static<typeof Joined>;

export const HandRequest = component(
  'HandRequest',
  Type.Object({ message: Type.Optional(Type.String({ maxLength: 200 })) }, strict),
);
