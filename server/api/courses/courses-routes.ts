import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { CourseChange, MembersRequest, MemberView } from '../../contract/courses/courses.ts';
import type { FieldProblem } from '../../contract/failures.ts';
import { isDate, isTimeZone, minutesOf } from '../../contract/wall-clock.ts';
import { inviteMembers, labelOf, sheetCsv } from '../../courses/invitations.ts';
import { type ListedMember, readMemberList, requireDistinct } from '../../courses/member-list.ts';
import { joinCodeOf } from '../../courses/names.ts';
import { requireMember } from '../../courses/records.ts';
import { courseView, listCourses } from '../../courses/views.ts';
import { authError } from '../../errors/auth.ts';
import { coursesError } from '../../errors/courses.ts';
import { canOwnKeys } from '../../identity/names.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { view as keyView } from '../identity/identity-routes.ts';
import { sendFile } from '../serving/send-file.ts';
import { serve } from '../serving/serve.ts';

/** Largest list of members: 5,000 rows get an answer that names the limit of members. */
const LIST_BYTES = 1 << 20;

const problem = (loc: FieldProblem['loc'], msg: string): FieldProblem => ({
  loc: ['body', ...loc],
  msg,
  type: 'value_error',
});

/** Refuses what fits the schema of a course and is still wrong. @throws validation errors. */
function requireCourse({ time_zone, ends_on, bookings = [] }: CourseChange): void {
  const problems = bookings.flatMap(({ from, to }, at) =>
    minutesOf(from) < minutesOf(to) ? [] : [problem(['bookings', at, 'to'], 'must be later than `from`')],
  );
  if (time_zone !== undefined && !isTimeZone(time_zone))
    problems.push(problem(['time_zone'], 'is not a time zone name such as Europe/Berlin'));
  if (ends_on != null && !isDate(ends_on)) problems.push(problem(['ends_on'], 'is not a valid date'));
  if (problems.length > 0) throw validationError(problems);
}

/** The members of a request. @throws validation errors, members_unreadable, too_many_members, operator_only. */
function membersOf(body: MembersRequest | string, caller: Caller): readonly ListedMember[] {
  if (typeof body === 'string') return readMemberList(body);
  for (const [at, { username }] of body.members.entries()) {
    if (username === undefined) continue;
    if (!caller.operator) throw authError('operator_only');
    if (!canOwnKeys(username))
      throw validationError([problem(['members', at, 'username'], 'is not a valid username')]);
  }
  requireDistinct(body.members);
  return body.members;
}

/** Routes of courses: members, invitations, codes and hands. */
export function courseRoutes(app: FastifyInstance, context: ApiContext): void {
  const { courses, assignments, handIns, keys, limits } = context;

  /** The page of the GUI that takes a code. */
  const pageOf = (page: string, code: string): string => {
    const { url, lanUrls } = context.listening();
    return `${lanUrls[0] ?? url}/#/${page}/${code}`;
  };
  const viewOf = (courseId: string, caller: Caller) => courseView(context, courses.access(courseId, caller));

  serve(app, 'listCourses', ({ caller }) => listCourses(context, caller));
  serve(app, 'getCourse', ({ params, caller }) => viewOf(params.course_id, caller));

  serve(app, 'createCourse', async ({ body, caller }) => {
    requireCourse(body);
    return viewOf(await courses.create(body), caller);
  });

  serve(app, 'changeCourse', async ({ params: { course_id }, body, caller }) => {
    courses.teacher(course_id, caller);
    const reserved = body.priority !== undefined || body.bookings !== undefined || body.group !== undefined;
    if (reserved && !caller.operator) throw authError('operator_only');
    requireCourse(body);
    await courses.change(course_id, body);
    return viewOf(course_id, caller);
  });

  serve(app, 'deleteCourse', async ({ params: { course_id } }) => {
    courses.find(course_id);
    await assignments.remove(assignments.of(course_id));
    await courses.remove(course_id);
  });

  serve(
    app,
    'addMembers',
    ({ params: { course_id }, body, caller }) => {
      courses.teacherInTerm(course_id, caller);
      return courses.add(course_id, membersOf(body, caller));
    },
    { bodyBytes: () => LIST_BYTES },
  );

  serve(app, 'changeMember', async ({ params: { course_id, username }, body, caller }) => {
    const { course } = courses.teacher(course_id, caller);
    if (body.role === 'student') courses.requireOtherTeacher(course, requireMember(course, username));
    await courses.changeMember(course_id, username, body);
    return viewOf(course_id, caller).members.find((one) => one.username === username) as MemberView;
  });

  serve(app, 'removeMember', async ({ params: { course_id, username }, caller }) => {
    const { course } = courses.teacher(course_id, caller, username);
    if (!caller.operator) courses.requireOtherTeacher(course, requireMember(course, username));
    await courses.changeMember(course_id, username, { left: true, hand: null });
  });

  serve(app, 'exportMember', async ({ params: { course_id, username }, caller, reply }) => {
    const access = courses.teacher(course_id, caller, username);
    const member = requireMember(access.course, username, { left: true });
    const used = context.shares.usageOf(username, access.course.time_zone, context.pool.use());
    const bytes = await handIns.exportMember(access, member, used);
    return sendFile(reply, { name: `${username}.zip`, type: 'application/zip' }, bytes);
  });

  serve(app, 'eraseMember', async ({ params: { course_id, username }, caller }) => {
    const { course } = courses.teacher(course_id, caller);
    const member = requireMember(course, username, { left: true });
    if (!caller.operator) courses.requireOtherTeacher(course, member);
    await handIns.erase(course_id, username);
    context.shares.ledger.erase(username);
    await courses.changeMember(course_id, username, null);
  });

  serve(app, 'inviteMembers', async ({ params: { course_id }, query, body, caller, reply }) => {
    const { course } = courses.teacherInTerm(course_id, caller);
    const sheet = await inviteMembers(keys, course, body, (code) => pageOf('join', code));
    courses.announce(course_id);
    if (query.format !== 'csv') return sheet;
    const file = { name: `${course_id}-links.csv`, type: 'text/csv; charset=utf-8' };
    return sendFile(reply, file, sheetCsv(sheet));
  });

  serve(app, 'openCourseCode', async ({ params: { course_id }, caller }) => {
    courses.teacherInTerm(course_id, caller);
    const code = joinCodeOf(randomBytes);
    await courses.change(course_id, { code });
    return { code, url: pageOf('course', code) };
  });
  serve(app, 'closeCourseCode', async ({ params: { course_id }, caller }) => {
    courses.teacher(course_id, caller);
    await courses.change(course_id, { code: null });
  });

  serve(app, 'joinCourse', async ({ body: { code, name }, caller, request, reply }) => {
    const course = courses.ofCode(code);
    if (!course) {
      limits.requirePatience(caller.origin, reply);
      throw coursesError('invalid_course_code');
    }
    const { course_id } = course;
    if (caller.key) {
      const { username } = caller.key;
      await courses.add(course_id, [{ name, username }]);
      return { course_id, username, api_key: null, key: null };
    }
    const [member] = (await courses.add(course_id, [{ name }])).added;
    if (!member)
      throw validationError(
        [problem(['name'], 'is in the course already')],
        'Ask your teacher for a new link, or add something to your name that tells you apart.',
      );
    const { username } = member;
    const made = await keys.mint(username, { label: labelOf(course) }).catch(async (error) => {
      // A member without a key could not come back under its name.
      await courses.changeMember(course_id, username, null);
      throw error;
    });
    request.log.info({ key_id: made.record.id, username }, 'API key minted');
    return { course_id, username, api_key: made.key, key: keyView(made.record) };
  });

  serve(app, 'raiseHand', async ({ params: { course_id }, body, caller }) => {
    courses.access(course_id, caller);
    const hand = { at: new Date(context.clock.now()).toISOString(), message: body.message ?? '' };
    await courses.changeMember(course_id, caller.owner, { hand });
  });
  serve(app, 'lowerHand', async ({ params: { course_id, username }, caller }) => {
    courses.teacher(course_id, caller, username);
    await courses.changeMember(course_id, username, { hand: null });
  });
}
