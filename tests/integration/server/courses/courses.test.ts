import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import type { AuditPage } from '../../../../server/contract/bench/audit.ts';
import type {
  CourseSummary,
  CourseView,
  InvitationSheet,
} from '../../../../server/contract/courses/courses.ts';
import type { MintedKey } from '../../../../server/contract/identity/identity.ts';
import { OidcIssuer } from '../../../support/api/identity-providers.ts';
import type { Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { keyOf, operator, withCourse } from '../../../support/courses/course-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const errorOf = (answer: { body: unknown }) => (answer.body as Refusal).detail.error;

const csv = (body: string) => ({ body, headers: { ...operator.headers, 'content-type': 'text/csv' } });

interface SignedIn {
  username: string;
  headers: Record<string, string>;
}

/** Adds members by name and signs each in by its link. */
async function signedIn(bench: TestBench, path: string, list: string): Promise<SignedIn[]> {
  await bench.post(`${path}/members`, csv(list));
  const sheet = await bench.post<InvitationSheet>(`${path}/invitations`, { json: {}, ...operator });
  return await Promise.all(
    sheet.body.map(async ({ url, username }) => {
      const { body } = await bench.post<MintedKey>('/auth/invites/redeem', {
        json: { code: url.split('/').at(-1) },
      });
      return { username, headers: { 'x-api-key': body.api_key } };
    }),
  );
}

test('courses can’t book more nodes together than the bench has; the refusal names them and the time', () =>
  withCourse(
    async (bench, path) => {
      const book = (from: string, to: string, nodes: number) =>
        bench.post<CourseView>('/courses', {
          json: {
            name: 'Signals',
            time_zone: 'Europe/London',
            bookings: [{ day: 'tuesday', from, to, nodes }],
          },
          ...operator,
        });
      const refused = await book('14:30', '15:30', 5);
      expect([refused.status, errorOf(refused)]).toEqual([409, 'too_many_booked']);
      expect((refused.body as unknown as Refusal).detail.message).toContain(
        'On tuesday at 14:30 (Europe/London) Signals books 5, Digital Design books 6: 11 of 10 nodes.',
      );
      const { body: made } = await book('15:00', '16:00', 5);
      const change = (json: object, at = path) => bench.put<CourseView>(at, { json, ...operator });
      const moved = await change({ time_zone: 'Europe/London' });
      expect([moved.status, errorOf(moved)]).toEqual([409, 'too_many_booked']);
      expect((await bench.get<CourseView>(path, operator)).body.time_zone).toBe('Europe/Berlin');
      // A course whose term is over has none, until it has a term again.
      await change({ ends_on: '2020-01-01' }, `/courses/${made.course_id}`);
      expect((await change({ time_zone: 'Europe/London' })).status).toBe(200);
      const again = await change({ ends_on: null }, `/courses/${made.course_id}`);
      expect(errorOf(again)).toBe('too_many_booked');
    },
    {
      time_zone: 'Europe/Berlin',
      bookings: [{ day: 'tuesday', from: '14:00', to: '16:00', nodes: 6 }],
    },
  ));

test('who signs in with the group of a course becomes its student, once', async () => {
  const issuer = await OidcIssuer.start((id) => (id === 'carol' ? [] : ['digital', 'others']));
  const identity_provider = {
    kind: 'oidc' as const,
    issuer: issuer.url,
    username_claim: 'preferred_username',
    allowed_users: [],
  };
  try {
    await withCourse(
      async (bench, path) => {
        const signIn = async (id: string) => {
          const json = { provider_token: await issuer.token(id) };
          const { body } = await bench.post<{ api_key: string }>('/auth/idp/exchange', { json });
          return { headers: { 'x-api-key': body.api_key } };
        };
        const [alice] = [await signIn('alice'), await signIn('carol'), await signIn('alice')];
        const names = async () =>
          (await bench.get<CourseView>(path, operator)).body.members.map((one) => [one.username, one.role]);
        expect(await names()).toEqual([['alice@lab', 'student']]);
        expect((await bench.get<CourseView>(path, alice)).body.role).toBe('student');
        // Who has left is not brought back, and the key is the user’s own.
        expect((await bench.delete(`${path}/members/alice@lab`, alice)).status).toBe(204);
        await signIn('alice');
        expect(await names()).toEqual([]);
        expect((await bench.get('/auth/keys/me', alice)).status).toBe(200);
      },
      { group: 'digital' },
      { settings: { auth: { enforcement: true, identity_provider } } },
    );
  } finally {
    await issuer.stop();
  }
});

describe('members', () => {
  test('a list becomes members with links, and each link signs one in', () =>
    withCourse(async (bench, path) => {
      const added = await bench.post(`${path}/members`, csv('\ufeffname,role\nAda,teacher\nBob,\n'));
      expect([added.status, added.body]).toEqual([
        200,
        {
          added: [
            { username: 'digital-design-01', name: 'Ada', role: 'teacher' },
            { username: 'digital-design-02', name: 'Bob', role: 'student' },
          ],
          present: [],
        },
      ]);
      const again = await bench.post(`${path}/members`, csv('name\nbob\nCleo\n'));
      expect(again.body).toMatchObject({ added: [{ username: 'digital-design-03' }], present: ['bob'] });
      const [ada, bob] = (await signedIn(bench, path, 'name\nAda\n')) as [SignedIn, SignedIn];
      const seen = await bench.get<CourseView>(path, { headers: ada.headers });
      expect(seen.body).toMatchObject({ role: 'teacher', username: 'digital-design-01' });
      expect(seen.body.members.map(({ name, signed_in }) => [name, signed_in])).toEqual([
        ['Ada', true],
        ['Bob', true],
        ['Cleo', true],
      ]);
      const own = await bench.get<CourseView>(path, { headers: bob.headers });
      expect([own.body.role, own.body.members.map(({ name }) => name)]).toEqual(['student', ['Ada', 'Bob']]);
      expect((await bench.get<CourseSummary[]>('/courses', { headers: bob.headers })).body).toMatchObject([
        { course_id: 'digital-design', role: 'student', members: 3 },
      ]);
      // A new link ends the one before.
      const json = { usernames: ['digital-design-02'] };
      const [first] = (await bench.post<InvitationSheet>(`${path}/invitations`, { json, ...operator })).body;
      await bench.post(`${path}/invitations`, { json, ...operator });
      const redeemed = await bench.post('/auth/invites/redeem', {
        json: { code: first?.url.split('/').at(-1) },
      });
      expect(redeemed.status).toBe(401);
      const sheet = await bench.ask<string>('POST', `${path}/invitations?format=csv`, { json, ...operator });
      expect(sheet.body).toMatch(
        /name,email,username,role,url,expires_at\r\nBob,,digital-design-02,student,http/,
      );
    }));

  test('a list with problems adds nobody, and says where they are', () =>
    withCourse(async (bench, path) => {
      for (const [body, code] of [
        ['name\nAda\nada\n', 'members_unreadable'],
        ['title\nAda\n', 'members_unreadable'],
        [`name\n${'x\n'.repeat(5000)}`, 'too_many_members'],
      ] as const) {
        const answer = await bench.post(`${path}/members`, csv(body));
        expect([answer.status, errorOf(answer)]).toEqual([422, code]);
      }
      const latin1 = new Uint8Array(Buffer.from('name\nZoë\n', 'latin1'));
      for (const body of [latin1, new Uint8Array(Buffer.from('\ufeffname\nAda\n', 'utf16le'))]) {
        const answer = await bench.post(`${path}/members`, { ...csv(''), body });
        expect([answer.status, (answer.body as Refusal).detail.message]).toEqual([
          422,
          expect.stringContaining('UTF-8'),
        ]);
      }
      expect((await bench.get<CourseView>(path, operator)).body.members).toEqual([]);
    }));

  test('only teachers change the course, only operators its bookings, and strangers see nothing', () =>
    withCourse(async (bench, path) => {
      const [ada, bob] = (await signedIn(bench, path, 'name,role\nAda,teacher\nBob,student\n')) as [
        SignedIn,
        SignedIn,
      ];
      const stranger = await keyOf(bench, 'stranger');
      const codes = async (method: string, route: string, json?: unknown) =>
        await Promise.all(
          [stranger, { headers: bob.headers }, { headers: ada.headers }].map(async (query) => {
            const answer = await bench.ask(method, route, {
              ...query,
              ...(json === undefined ? {} : { json }),
            });
            return answer.status < 400 ? answer.status : errorOf(answer);
          }),
        );
      expect(await codes('GET', path)).toEqual(['not_course_member', 200, 200]);
      expect(await codes('PUT', path, { shares: { sessions: 1 } })).toEqual([
        'not_course_member',
        'not_course_teacher',
        200,
      ]);
      const bookings = [{ day: 'tuesday', from: '14:00', to: '16:00', nodes: 4 }];
      expect(await codes('PUT', path, { bookings })).toEqual([
        'not_course_member',
        'not_course_teacher',
        'operator_only',
      ]);
      expect(await codes('POST', '/courses', { name: 'x' })).toEqual(Array(3).fill('operator_only'));
      const member = (username: string) => `${path}/members/${username}`;
      expect(await codes('PUT', member('digital-design-01'), { role: 'student' })).toEqual([
        'not_course_member',
        'not_course_teacher',
        'last_teacher',
      ]);
      expect(errorOf(await bench.get(`/courses/none`, operator))).toBe('course_not_found');
      expect(errorOf(await bench.get(`/courses/none`, stranger))).toBe('course_not_found');
      const added = await bench.post(`${path}/members`, {
        json: { members: [{ name: 'S', username: 'stranger' }] },
        headers: ada.headers,
      });
      expect(errorOf(added)).toBe('operator_only');
    }));

  test('a raised hand is seen by teachers, and lowered by the member or a teacher', () =>
    withCourse(async (bench, path) => {
      const [, bob] = (await signedIn(bench, path, 'name,role\nAda,teacher\nBob,student\n')) as [
        SignedIn,
        SignedIn,
      ];
      await bench.post(`${path}/hand`, { json: { message: 'stuck' }, headers: bob.headers });
      const { body } = await bench.get<CourseView>(path, operator);
      expect(body.members.map(({ hand }) => hand?.message ?? null)).toEqual([null, 'stuck']);
      expect((await bench.get<CourseSummary[]>('/courses', operator)).body[0]?.hands).toBe(1);
      const lowered = await bench.delete(`${path}/members/digital-design-02/hand`, { headers: bob.headers });
      expect(lowered.status).toBe(204);
      expect((await bench.get<CourseSummary[]>('/courses', operator)).body[0]?.hands).toBe(0);
    }));

  test('who leaves, is erased or whose course is deleted loses the key that the course made', () =>
    withCourse(async (bench, path) => {
      const [bob, cleo, dan] = (await signedIn(bench, path, 'name\nBob\nCleo\nDan\n')) as [
        SignedIn,
        SignedIn,
        SignedIn,
      ];
      const works = async (member: { headers: Record<string, string> }) =>
        (await bench.get('/auth/keys/me', { headers: member.headers })).status === 200;
      expect((await bench.delete(`${path}/members/${bob.username}`, { headers: bob.headers })).status).toBe(
        204,
      );
      expect([await works(bob), await works(cleo)]).toEqual([false, true]);
      expect((await bench.delete(`${path}/members/${cleo.username}/data`, operator)).status).toBe(204);
      expect(await works(cleo)).toBe(false);
      // A member who has left can be erased too.
      expect((await bench.delete(`${path}/members/${bob.username}/data`, operator)).status).toBe(204);
      expect((await bench.delete(path, operator)).status).toBe(204);
      expect(await works(dan)).toBe(false);
      expect((await bench.get('/courses', operator)).body).toEqual([]);
    }));

  test('a member gets all that is stored about it, and nothing of others', () =>
    withCourse(async (bench, path) => {
      const [bob, cleo] = (await signedIn(
        bench,
        path,
        'name,email\nBob,bob@lab.example\nCleo,cleo@lab.example\n',
      )) as [SignedIn, SignedIn];
      const route = `${bench.url}${path}/members/${bob.username}/data`;
      const answer = await fetch(route, { headers: bob.headers });
      const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
      const text = new TextDecoder().decode(files['member.json']);
      expect(JSON.parse(text)).toMatchObject({
        course: 'Digital Design',
        member: { name: 'Bob', email: 'bob@lab.example' },
      });
      expect(text).not.toContain('Cleo');
      const other = await bench.get(`${path}/members/${bob.username}/data`, { headers: cleo.headers });
      expect(errorOf(other)).toBe('not_course_teacher');
    }));

  test('names are in no event, no log and no audit entry', () =>
    withCourse(async (bench, path) => {
      const events: unknown[] = [];
      bench.bench.events.subscribe((event) => events.push(event));
      const [bob] = (await signedIn(bench, path, 'name,email\nBartholomew,bart@lab.example\n')) as [SignedIn];
      await bench.post(`${path}/hand`, { json: { message: 'from Bartholomew' }, headers: bob.headers });
      const audit = await bench.get<AuditPage>('/audit', operator);
      expect(events).toContainEqual({ type: 'course', course_id: 'digital-design' });
      for (const text of [JSON.stringify(events), bench.log, JSON.stringify(audit.body)])
        expect(text).not.toMatch(/barth?/i);
    }));
});

describe('the code of a course', () => {
  test('signs in who has no key, and adds who has one under its own name', () =>
    withCourse(async (bench, path) => {
      const { body } = await bench.post<{ code: string; url: string }>(`${path}/code`, operator);
      expect(body.url).toBe(`${bench.url}/#/course/${body.code}`);
      const code = body.code.toLowerCase().replaceAll('-', ' ');
      const joined = await bench.post<MintedKey & { username: string }>('/courses/join', {
        json: { code, name: 'Bob' },
      });
      expect(joined.body).toMatchObject({ course_id: 'digital-design', username: 'digital-design-01' });
      const seen = await bench.get<CourseView>(path, { headers: { 'x-api-key': joined.body.api_key } });
      expect([seen.body.role, seen.body.code]).toEqual(['student', null]);
      const twice = await bench.post('/courses/join', { json: { code, name: 'bob' } });
      expect([twice.status, errorOf(twice)]).toEqual([422, 'validation_error']);
      const guest = await keyOf(bench, 'guest');
      for (const _time of [1, 2])
        expect((await bench.post('/courses/join', { json: { code, name: 'Gus' }, ...guest })).body).toEqual({
          course_id: 'digital-design',
          username: 'guest',
          api_key: null,
          key: null,
        });
      expect((await bench.get<CourseView>(path, operator)).body.members.length).toBe(2);
      await bench.delete(`${path}/code`, operator);
      const closed = await bench.post('/courses/join', { json: { code, name: 'Late' } });
      expect([closed.status, errorOf(closed)]).toEqual([401, 'invalid_course_code']);
    }));
});

describe('the end of the term', () => {
  test('closes the course and revokes the keys that it made', async () => {
    const clock = new FakeClock(Date.parse('2026-07-07T12:00:00Z'));
    await withCourse(
      async (bench, path) => {
        const [bob] = (await signedIn(bench, path, 'name\nBob\n')) as [SignedIn];
        const guest = await keyOf(bench, 'guest');
        const { body } = await bench.post<{ code: string }>(`${path}/code`, operator);
        await bench.post('/courses/join', { json: { code: body.code, name: 'Gus' }, ...guest });
        expect((await bench.get('/auth/keys/me', { headers: bob.headers })).status).toBe(200);
        // Midnight in Berlin is 22:00 UTC.
        await clock.advance(10 * 3_600_000 + 90_000);
        await expect
          .poll(async () => (await bench.get('/auth/keys/me', { headers: bob.headers })).status)
          .toBe(401);
        expect((await bench.get('/auth/keys/me', guest)).status).toBe(200);
        const { body: course } = await bench.get<CourseView>(path, operator);
        expect([course.closed, course.code]).toEqual([true, null]);
        const added = await bench.post(`${path}/members`, csv('name\nLate\n'));
        expect(errorOf(added)).toBe('course_closed');
        await bench.ask('PUT', path, { json: { ends_on: '2026-07-31' }, ...operator });
        expect((await bench.post(`${path}/members`, csv('name\nLate\n'))).status).toBe(200);
      },
      { time_zone: 'Europe/Berlin', ends_on: '2026-07-07' },
      { clock },
    );
  });

  test.each([
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ ends_on: '2026-02-30' }, 'ends_on'],
    [{ bookings: [{ day: 'monday', from: '14:00', to: '14:00', nodes: 1 }] }, 'bookings'],
  ])('a course with %j is refused', (change, field) =>
    withCourse(async (bench, path) => {
      const answer = await bench.ask('PUT', path, { json: change, ...operator });
      expect([answer.status, (answer.body as Refusal).detail.errors?.[0]?.loc[1]]).toEqual([422, field]);
    }),
  );
});
