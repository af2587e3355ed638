import { describe, expect, test } from 'vitest';
import type { CourseView } from '../../../../server/contract/courses/courses.ts';
import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import type { Session } from '../../../../server/contract/nodes/nodes.ts';
import { type Refusal, SOURCE, type TestBench } from '../../../support/api/test-bench.ts';
import { keyOf, operator, withCourse } from '../../../support/courses/course-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const MINUTE = 60_000;
const errorOf = (answer: { body: unknown }) => (answer.body as Refusal).detail?.error;
type Member = { headers: Record<string, string> };

/** Members of the course with keys of their own. */
async function members(bench: TestBench, path: string, ...usernames: string[]): Promise<Member[]> {
  const all = await Promise.all(usernames.map((username) => keyOf(bench, username)));
  const json = { members: usernames.map((username) => ({ name: `Name of ${username}`, username })) };
  await bench.post(`${path}/members`, { json, ...operator });
  return all;
}

function form(): FormData {
  const data = new FormData();
  data.append('file', new File([SOURCE], 'echo.v'));
  return data;
}
const submitTo = (bench: TestBench, node: number, member: Member) =>
  bench.post(`/fpga/${node}/submit`, { body: form(), ...member });
const submitAny = (bench: TestBench, member: Member) =>
  bench.post<AnyJob>('/submit', { body: form(), ...member });
const jobOf = async (bench: TestBench, id: string): Promise<AnyJob> => bench.bench.pool.findJob(id);

describe('shares', () => {
  test('who has its share of nodes waits, and gets one after a release', () =>
    withCourse(
      async (bench, path) => {
        const [ada] = (await members(bench, path, 'ada')) as [Member];
        await bench.reserve(0, ada.headers);
        const refused = await submitTo(bench, 1, ada);
        expect([refused.status, errorOf(refused)]).toEqual([429, 'share_used_up']);
        const { body: job } = await submitAny(bench, ada);
        expect(await jobOf(bench, job.job_id)).toMatchObject({ fpga_id: null, place: 1 });
        expect(errorOf(await submitAny(bench, ada))).toBe('share_used_up');
        const { body: course } = await bench.get<CourseView>(path, ada);
        expect(course.members[0]).toMatchObject({
          used: { sessions: 1, queued_jobs: 1 },
          last_access_at: expect.any(String),
        });
        await bench.bench.pool.release(0, { owner: 'ada' });
        await expect.poll(async () => (await jobOf(bench, job.job_id)).fpga_id).not.toBeNull();
      },
      { shares: { sessions: 1, queued_jobs: 1 } },
    ));

  test('the line counts the time of a build like that of a session', () => {
    const clock = new FakeClock();
    return withCourse(
      async (bench, path) => {
        const [ada, bob] = (await members(bench, path, 'ada', 'bob')) as [Member, Member];
        const guest = await keyOf(bench, 'guest');
        await Promise.all(Array.from({ length: 9 }, (_, node) => bench.reserve(node, guest.headers)));
        let open = () => {};
        bench.toolchain.gate = new Promise((resolve) => {
          open = resolve;
        });
        const data = form();
        data.set('file', new File([`${SOURCE} // edited`], 'echo.v'));
        const { body: build } = await bench.post<AnyJob>('/submit', { body: data, ...ada });
        await expect.poll(async () => (await jobOf(bench, build.job_id)).fpga_id).toBe(9);
        clock.advance(10 * MINUTE);
        const jobs = [await submitAny(bench, ada), await submitAny(bench, bob)];
        const places = await Promise.all(jobs.map(({ body }) => jobOf(bench, body.job_id)));
        expect(places.map(({ place }) => place)).toEqual([2, 1]);
        open();
      },
      {},
      { clock },
    );
  });

  test('a node is handed over only to who has room for it', () =>
    withCourse(
      async (bench, path) => {
        const [ada, bob] = (await members(bench, path, 'ada', 'bob')) as [Member, Member];
        await Promise.all([bench.reserve(0, ada.headers), bench.reserve(1, bob.headers)]);
        const handOver = (to: string) => bench.post('/fpga/1/session/handover', { json: { to }, ...bob });
        const refused = await handOver('ada');
        expect([refused.status, errorOf(refused)]).toEqual([429, 'share_used_up']);
        expect(bench.bench.pool.node(1).session?.owner).toBe('bob');
        await bench.bench.pool.release(0, { owner: 'ada' });
        await expect.poll(() => bench.bench.pool.node(0).state).toBe('idle');
        expect((await handOver('ada')).status).toBe(200);
        expect(bench.bench.pool.node(1).session?.owner).toBe('ada');
      },
      { shares: { sessions: 1 } },
    ));

  test('a session lasts no longer than the share, however often it is extended', () => {
    const clock = new FakeClock();
    return withCourse(
      async (bench, path) => {
        const [ada] = (await members(bench, path, 'ada')) as [Member];
        await bench.reserve(0, ada.headers);
        const left = async () => {
          const { body } = await bench.get<Session>('/fpga/0/session', ada);
          return Date.parse(body.expires_at) - clock.now();
        };
        expect(await left()).toBe(5 * MINUTE);
        clock.advance(2 * MINUTE);
        const extended = await bench.post('/fpga/0/session/extend', ada);
        expect([extended.status, errorOf(extended)]).toEqual([429, 'share_used_up']);
        await bench.post('/fpga/0/run?wait=5', { json: { op: 2, address: 0 }, ...ada });
        expect(await left()).toBe(3 * MINUTE);
        clock.advance(3 * MINUTE);
        await expect.poll(() => bench.bench.pool.node(0).session).toBeNull();
      },
      { shares: { session_minutes: 5 } },
      { clock },
    );
  });

  test('idle nodes of a booking are for its members', () => {
    // A Friday, 13:00 in Berlin.
    const clock = new FakeClock(Date.parse('2024-03-01T12:00:00Z'));
    const bookings = [{ day: 'friday', from: '13:00', to: '13:30', nodes: 10 }];
    return withCourse(
      async (bench, path) => {
        const [ada] = (await members(bench, path, 'ada')) as [Member];
        const guest = await keyOf(bench, 'guest');
        const refused = await submitTo(bench, 0, guest);
        expect([refused.status, errorOf(refused)]).toEqual([409, 'nodes_booked']);
        const { body: job } = await submitAny(bench, guest);
        expect((await jobOf(bench, job.job_id)).fpga_id).toBeNull();
        await bench.reserve(0, ada.headers);
        expect((await bench.get<CourseView>(path, ada)).body.booked_now).toBe(10);
        clock.advance(30 * MINUTE);
        await expect.poll(async () => (await jobOf(bench, job.job_id)).fpga_id).not.toBeNull();
      },
      { time_zone: 'Europe/Berlin', bookings },
      { clock },
    );
  });

  test('when a slot begins, others give back as many nodes as members wait for', () => {
    const clock = new FakeClock(Date.parse('2024-03-01T12:00:00Z'));
    const bookings = [{ day: 'friday', from: '13:05', to: '14:00', nodes: 4 }];
    return withCourse(
      async (bench, path) => {
        const [ada] = (await members(bench, path, 'ada')) as [Member];
        const guest = await keyOf(bench, 'guest');
        await Promise.all(Array.from({ length: 10 }, (_, node) => bench.reserve(node, guest.headers)));
        const { body: job } = await submitAny(bench, ada);
        clock.advance(4 * MINUTE);
        const shortened = async () =>
          (await bench.bench.pool.nodes()).filter(
            ({ session }) => session && Date.parse(session.expires_at) - clock.now() <= 2 * MINUTE,
          ).length;
        expect(await shortened()).toBe(0);
        clock.advance(MINUTE + 10_000);
        await expect.poll(shortened).toBe(1);
        const [node] = bench.bench.pool
          .nodes()
          .filter(({ session }) => session && Date.parse(session.expires_at) - clock.now() <= 2 * MINUTE);
        const extended = await bench.post(`/fpga/${node?.fpga_id}/session/extend`, guest);
        expect(errorOf(extended)).toBe('share_used_up');
        clock.advance(2 * MINUTE);
        await expect.poll(async () => (await jobOf(bench, job.job_id)).fpga_id).toBe(node?.fpga_id);
      },
      { time_zone: 'Europe/Berlin', bookings },
      { clock },
    );
  });

  test('an idle session is shortened while others wait, and an access renews it', () => {
    const clock = new FakeClock();
    return withCourse(
      async (bench, path) => {
        const [ada, bob] = (await members(bench, path, 'ada', 'bob')) as [Member, Member];
        await Promise.all(Array.from({ length: 10 }, (_, node) => bench.reserve(node, ada.headers)));
        const left = (node: number) =>
          Date.parse(bench.bench.pool.node(node).session?.expires_at ?? '') - clock.now();
        clock.advance(6 * MINUTE);
        expect(left(0)).toBeGreaterThan(2 * MINUTE);
        const { body: job } = await submitAny(bench, bob);
        await bench.post('/fpga/3/run?wait=5', { json: { op: 2, address: 0 }, ...ada });
        clock.advance(10_000);
        await expect.poll(() => left(0)).toBe(2 * MINUTE);
        expect(left(3)).toBeGreaterThan(2 * MINUTE);
        expect((await bench.post('/fpga/1/session/extend', ada)).status).toBe(200);
        expect(left(1)).toBeGreaterThan(2 * MINUTE);
        clock.advance(2 * MINUTE);
        await expect.poll(async () => (await jobOf(bench, job.job_id)).fpga_id).not.toBeNull();
        expect([1, 3].map((node) => bench.bench.pool.node(node).session?.owner)).toEqual(['ada', 'ada']);
      },
      { shares: { idle_minutes: 5 } },
      { clock },
    );
  });
});
