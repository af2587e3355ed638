import type { FastifyInstance } from 'fastify';
import type { MembersRequest } from '../../contract/courses/courses.ts';
import { courseProblems } from '../../courses/course-problems.ts';
import { exportMember } from '../../courses/member-data.ts';
import { inviteMembers, sheetCsv } from '../../courses/member-keys.ts';
import { readMemberList, requireDistinct, sameName } from '../../courses/member-list.ts';
import { presentMembers } from '../../courses/records.ts';
import { authError } from '../../errors/auth.ts';
import { coursesError } from '../../errors/courses.ts';
import { canOwnKeys } from '../../identity/names.ts';
import type { ApiContext } from '../context.ts';
import { validationError } from '../edge/validation.ts';
import { view as keyView } from '../identity/identity-routes.ts';
import { attachment } from '../serving/attachment.ts';
import { serve } from '../serving/serve.ts';

/** Largest list of members: 5,000 rows get an answer that names the limit of members. */
const LIST_BYTES = 1 << 20;
const INVITATION_SECONDS = 14 * 86_400;

/** Routes of courses: members, invitations, codes and hands. */
export function courseRoutes(app: FastifyInstance, context: ApiContext): void {
  const { courses, keys, limits } = context;

  /** The page of the GUI that takes a code. */
  const pageOf = (page: string, code: string): string => {
    const { url, lanUrls } = context.listening();
    return `${lanUrls[0] ?? url}/#/${page}/${code}`;
  };

  serve(app, 'listCourses', ({ caller }) => courses.list(caller));
  serve(app, 'getCourse', ({ params, caller }) => courses.view(params.course_id, caller));

  serve(app, 'createCourse', async ({ body, caller }) => {
    const problems = courseProblems(body);
    if (problems.length > 0) throw validationError(problems);
    return courses.view(await courses.create(body), caller);
  });

  serve(app, 'changeCourse', async ({ params: { course_id }, body, caller }) => {
    courses.requireTeacher(course_id, caller);
    const reserved = body.priority !== undefined || body.bookings !== undefined || body.group !== undefined;
    if (reserved && !caller.operator) throw authError('operator_only');
    const problems = courseProblems(body);
    if (problems.length > 0) throw validationError(problems);
    await courses.change(course_id, body);
    return courses.view(course_id, caller);
  });

  serve(app, 'deleteCourse', async ({ params, reply }) => {
    await courses.remove(params.course_id);
    return reply.send();
  });

  serve(
    app,
    'addMembers',
    async ({ params: { course_id }, body, caller }) => {
      courses.requireTeacher(course_id, caller);
      courses.requireOpen(course_id);
      const list: MembersRequest['members'] = typeof body === 'string' ? readMemberList(body) : body.members;
      if (list.some(({ username }) => username !== undefined) && !caller.operator)
        throw authError('operator_only');
      for (const [at, { username }] of list.entries())
        if (username !== undefined && !canOwnKeys(username))
          throw validationError([
            { loc: ['body', 'members', at, 'username'], msg: 'is no name of a user', type: 'value_error' },
          ]);
      requireDistinct(list);
      return await courses.add(course_id, list);
    },
    { bodyBytes: () => LIST_BYTES },
  );

  serve(app, 'changeMember', async ({ params: { course_id, username }, body, caller }) => {
    courses.requireTeacher(course_id, caller);
    await courses.changeMember(course_id, username, body);
    return courses.memberView(course_id, username);
  });

  serve(app, 'removeMember', async ({ params: { course_id, username }, caller, reply }) => {
    const course = courses.requireTeacherOrSelf(course_id, caller, username);
    if (!caller.operator) courses.requireOtherTeacher(course, courses.requireMember(course, username));
    await courses.leave(course_id, username);
    return reply.send();
  });

  serve(app, 'exportMember', async ({ params: { course_id, username }, caller, reply }) => {
    const course = courses.requireTeacherOrSelf(course_id, caller, username);
    const member = course.members.find((one) => one.username === username);
    if (!member) throw coursesError('member_not_found');
    const used = courses.usageOf(course, username);
    const bytes = await exportMember(course, member, courses.work, used, context.clock.now());
    return reply
      .type('application/zip')
      .header('content-disposition', attachment('attachment', `${username}.zip`))
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });

  serve(app, 'eraseMember', async ({ params: { course_id, username }, caller, reply }) => {
    const course = courses.requireTeacher(course_id, caller);
    const member = course.members.find((one) => one.username === username && !one.left);
    if (member && !caller.operator) courses.requireOtherTeacher(course, member);
    await courses.erase(course_id, username);
    return reply.send();
  });

  serve(app, 'inviteMembers', async ({ params: { course_id }, query, body, caller, reply }) => {
    const course = courses.requireTeacher(course_id, caller);
    courses.requireOpen(course_id);
    const { usernames, expires_in_s: seconds = INVITATION_SECONDS } = body;
    const signedIn = new Set(keys.list().map(({ username }) => username));
    const wanted = usernames
      ? [...new Set(usernames)].map((username) => courses.requireMember(course, username))
      : presentMembers(course).filter(({ username }) => !signedIn.has(username));
    const invited = wanted.filter(({ own_key }) => !own_key).sort((a, b) => a.name.localeCompare(b.name));
    const sheet = await inviteMembers(keys, invited, 1000 * seconds, course.name.slice(0, 64), (code) =>
      pageOf('join', code),
    );
    courses.announce(course_id);
    if (query.format !== 'csv') return sheet;
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', attachment('attachment', `${course_id}-links.csv`))
      .send(sheetCsv(sheet));
  });

  serve(app, 'openCourseCode', async ({ params: { course_id }, caller }) => {
    courses.requireTeacher(course_id, caller);
    courses.requireOpen(course_id);
    const code = await courses.setCode(course_id, true);
    return { code, url: pageOf('course', code) };
  });
  serve(app, 'closeCourseCode', async ({ params: { course_id }, caller, reply }) => {
    courses.requireTeacher(course_id, caller);
    await courses.setCode(course_id, false);
    return reply.send();
  });

  serve(app, 'joinCourse', async ({ body: { code, name }, caller, request, reply }) => {
    const course = courses.ofCode(code);
    if (!course) {
      limits.requirePatience(caller.origin, reply);
      throw coursesError('invalid_course_code');
    }
    const { course_id } = course;
    if (caller.key) {
      await courses.join(course_id, name, caller.key.username);
      return { course_id, username: caller.key.username, api_key: null, key: null };
    }
    if (presentMembers(course).some((member) => sameName(member.name) === sameName(name)))
      throw validationError(
        [{ loc: ['body', 'name'], msg: 'is in the course already', type: 'value_error' }],
        'Ask your teacher for a new link, or add to your name what tells you apart.',
      );
    const username = await courses.join(course_id, name, null);
    const made = await keys.mint(username, { label: course.name.slice(0, 64) }).catch(async (error) => {
      // A member without a key could not come back under its name.
      await courses.erase(course_id, username);
      throw error;
    });
    request.log.info({ key_id: made.record.id, username }, 'API key minted');
    return { course_id, username, api_key: made.key, key: keyView(made.record) };
  });

  serve(app, 'raiseHand', async ({ params: { course_id }, body, caller, reply }) => {
    courses.roleOf(course_id, caller);
    await courses.setHand(course_id, caller.owner, body.message ?? '');
    return reply.send();
  });
  serve(app, 'lowerHand', async ({ params: { course_id, username }, caller, reply }) => {
    courses.requireTeacherOrSelf(course_id, caller, username);
    await courses.setHand(course_id, username, null);
    return reply.send();
  });
}
