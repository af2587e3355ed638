import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../../../../server/contract/client/client.ts';
import type {
  AssignmentRequest,
  HandIn,
  HandInFilter,
} from '../../../../server/contract/courses/assignments.ts';
import { backUp, prepareRestore } from '../../../../server/store/backup.ts';
import { type Refusal, SOURCE, TestBench, type TestBenchOptions } from '../../../support/api/test-bench.ts';
import { FAKE_HOLE, FakeBoard } from '../../../support/fake-board.ts';

const OPERATOR = { 'x-operator-token': 'operator-of-the-test' };
const as = (owner: string) => ({ 'x-api-key': owner });

let bench: TestBench;
let grader: FakeBoard;
let base: string;
let course_id: string;
const teacher = () => bench.client(as('tess'));

async function start(options: TestBenchOptions = {}): Promise<void> {
  grader = new FakeBoard(10);
  bench = await TestBench.start({
    operatorToken: OPERATOR['x-operator-token'],
    gradingBoard: async () => grader,
    ...options,
  });
}

/** A course with a teacher and two students, who exist on the bench by the names that they give. */
async function makeCourse(): Promise<void> {
  const operator = bench.client(OPERATOR);
  ({ course_id } = await operator.createCourse({ body: { name: 'Digital design' } }));
  const members = [
    { name: 'Tess', username: 'tess', role: 'teacher' as const },
    { name: 'Ada', username: 'ada' },
    { name: 'Bob', username: 'bob' },
  ];
  await operator.addMembers({ course_id, body: { members } });
  base = `/courses/${course_id}/assignments`;
}

beforeEach(async () => {
  await start();
  await makeCourse();
});
afterEach(() => bench.stop());

/** The fake slave is a memory, so the first step passes and the hidden one does not. */
const CHECK: AssignmentRequest['check'] = [
  {
    title: 'It keeps a word',
    points: 3,
    steps: [
      { op: 'write', address: 0, data: [7] },
      { op: 'read', address: 0, expect: [7] },
    ],
  },
  { title: 'A secret', points: 4, hidden: true, steps: [{ op: 'read', address: FAKE_HOLE }] },
];

const assign = (more: Partial<AssignmentRequest> = {}) =>
  teacher().createAssignment({ course_id, body: { title: 'Echo', check: CHECK, ...more } });

async function build(owner: string, source = SOURCE, name = 'design.v'): Promise<string> {
  const client = bench.client(as(owner));
  const { job_id } = await client.submitToAnyNode({ body: { file: { name, contents: source } } });
  return job_id;
}

const handIn = (owner: string, assignment_id: string, job_id: string) =>
  bench.client(as(owner)).handIn({ course_id, assignment_id, body: { job_id } });

/** The student's own hand-ins, newest first, once none waits. */
async function graded(client: Client, assignment_id: string): Promise<HandIn[]> {
  const states = async () =>
    (await client.listHandIns({ course_id, assignment_id })).map(({ grade }) => grade.state);
  await expect
    .poll(states, { interval: 10 })
    .not.toEqual(expect.arrayContaining([expect.stringMatching(/queued|running/)]));
  return await client.listHandIns({ course_id, assignment_id });
}

test('a student hands a build in and gets points for each step; hidden ones stay hidden', async () => {
  const { assignment_id } = await assign();
  const job_id = await build('ada');
  const handed = await handIn('ada', assignment_id, job_id);
  expect(handed).toMatchObject({
    username: 'ada',
    name: 'Ada',
    attempt: 1,
    counts: true,
    job_id,
    filename: 'design.v',
  });
  const [own] = await graded(bench.client(as('ada')), assignment_id);
  expect(own?.grade).toMatchObject({
    state: 'graded',
    points: 3,
    of: 7,
    luts: 1075,
    fmax: 63.2,
    error: null,
  });
  expect(own?.grade.steps.map(({ title, message }) => [title, message])).toEqual([
    ['It keeps a word', null],
    ['Hidden step', null],
  ]);
  const [seen] = await graded(teacher(), assignment_id);
  expect(seen?.grade.steps[1]).toMatchObject({ title: 'A secret', points: 0, ok: false });
  expect(seen?.grade.steps[1]?.message).toContain('No acknowledge');
  const source = { course_id, assignment_id, hand_in_id: handed.hand_in_id };
  expect(new TextDecoder().decode(await teacher().getHandInSource(source))).toBe(SOURCE);
  expect(await bench.client(as('bob')).listHandIns({ course_id, assignment_id })).toEqual([]);
  await expect(bench.client(as('bob')).getHandInSource(source)).rejects.toMatchObject({
    code: 'not_course_teacher',
  });
  // Grading used no node.
  expect(bench.boards.boards.flatMap(({ programmed }) => programmed)).toHaveLength(1);
  expect(grader.programmed).toHaveLength(1);
});

test('a build that is not done can be handed in, and the moment of the request counts', async () => {
  let open = () => {};
  bench.toolchain.gate = new Promise((resolve) => {
    open = resolve;
  });
  const { assignment_id } = await assign();
  const job_id = await build('ada');
  const before = Date.now();
  const { at, grade } = await handIn('ada', assignment_id, job_id);
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
  expect(['queued', 'running']).toContain(grade.state);
  // The deadline passes while it is built.
  const deadline = new Date(Date.parse(at)).toISOString();
  await teacher().changeAssignment({ course_id, assignment_id, body: { deadline } });
  open();
  const [own] = await graded(bench.client(as('ada')), assignment_id);
  expect(own?.grade).toMatchObject({ state: 'graded', points: 3 });
  await expect(handIn('ada', assignment_id, await build('ada'))).rejects.toMatchObject({
    code: 'deadline_passed',
  });
  // The same build counts as the same hand-in.
  expect(await handIn('ada', assignment_id, job_id)).toMatchObject({ attempt: 1, at });
});

test('a build that waits for a node can be handed in', async () => {
  for (let node = 0; node < 10; node++) await bench.reserve(node, as('others'));
  const job_id = await build('ada', `${SOURCE}// waits`);
  expect((await bench.client(as('ada')).findJob({ job_id })).fpga_id).toBe(null);
  const { assignment_id } = await assign();
  await handIn('ada', assignment_id, job_id);
  expect((await graded(teacher(), assignment_id))[0]?.grade).toMatchObject({ state: 'graded', points: 3 });
});

test('a list of hand-ins can be of one member, of what counts, and continued', async () => {
  const { assignment_id } = await assign();
  const handed: string[] = [];
  for (const owner of ['ada', 'bob', 'ada', 'ada'])
    handed.unshift((await handIn(owner, assignment_id, await build(owner))).hand_in_id);
  const list = async (query: HandInFilter, owner = 'tess') =>
    (await bench.client(as(owner)).listHandIns({ course_id, assignment_id, ...query })).map(
      ({ hand_in_id }) => hand_in_id,
    );
  expect(await list({})).toEqual(handed);
  const [newest, middle, ofBob, oldest] = handed as [string, string, string, string];
  expect(await list({ counting: true })).toEqual([newest, ofBob]);
  expect(await list({ username: 'ada' })).toEqual([newest, middle, oldest]);
  expect(await list({ limit: 3 })).toEqual([newest, middle, ofBob]);
  expect(await list({ limit: 3, before: ofBob })).toEqual([oldest]);
  expect(await list({ username: 'ada' }, 'bob')).toEqual([]);
  await expect(list({ before: assignment_id })).rejects.toMatchObject({ code: 'hand_in_not_found' });
});

test('two requests at once for one build are one hand-in, and attempts are counted right', async () => {
  const { assignment_id } = await assign({ attempts: 2 });
  const jobs = [await build('ada'), await build('ada'), await build('ada')];
  const twice = await Promise.all([0, 0, 0, 0].map(() => handIn('ada', assignment_id, jobs[0] ?? '')));
  expect(new Set(twice.map(({ hand_in_id }) => hand_in_id)).size).toBe(1);
  const others = await Promise.allSettled(jobs.slice(1).map((job) => handIn('ada', assignment_id, job)));
  expect(others.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = others.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason.code).toBe('no_attempts_left');
  const all = await graded(bench.client(as('ada')), assignment_id);
  expect(all.map(({ attempt, counts }) => [attempt, counts])).toEqual([
    [2, true],
    [1, false],
  ]);
  expect((await bench.client(as('bob')).listAssignments({ course_id }))[0]).toMatchObject({
    handed_in: 0,
    best: null,
  });
  expect((await bench.client(as('ada')).listAssignments({ course_id }))[0]).toMatchObject({
    handed_in: 2,
    best: 3,
  });
});

test('only the own build can be handed in, and only by a member', async () => {
  const { assignment_id } = await assign();
  const job_id = await build('bob');
  await expect(handIn('ada', assignment_id, job_id)).rejects.toMatchObject({ code: 'not_session_holder' });
  await expect(handIn('eve', assignment_id, await build('eve'))).rejects.toMatchObject({
    code: 'not_course_member',
  });
  const unknown = '00000000-0000-4000-8000-000000000000';
  await expect(handIn('ada', assignment_id, unknown)).rejects.toMatchObject({ code: 'job_not_found' });
  await expect(handIn('ada', unknown, job_id)).rejects.toMatchObject({ code: 'assignment_not_found' });
  expect(await teacher().listHandIns({ course_id, assignment_id })).toEqual([]);
});

test('what cannot be built or checked is graded as failed, with its reason', async () => {
  const { assignment_id } = await assign();
  await handIn('ada', assignment_id, await build('ada', 'fail-synthesis'));
  await handIn('bob', assignment_id, await build('bob', 'crash-route'));
  const all = await graded(teacher(), assignment_id);
  expect(
    all.map(({ username, grade }) => [username, grade.state, grade.points, grade.of, grade.error?.code]),
  ).toEqual([
    ['bob', 'failed', 0, 7, 'job_crashed'],
    ['ada', 'failed', 0, 7, 'fake_build_failed'],
  ]);
  grader.faults.failProgram = 'CDONE stayed low.';
  await handIn('ada', assignment_id, await build('ada'));
  const [newest] = await graded(bench.client(as('ada')), assignment_id);
  expect(newest?.grade).toMatchObject({ state: 'failed', error: { code: 'fake_cdone_low' } });
});

test('grading again uses the check of now, for all that count or for some', async () => {
  const { assignment_id } = await assign();
  for (const owner of ['ada', 'ada', 'bob']) await handIn(owner, assignment_id, await build(owner));
  const before = await graded(teacher(), assignment_id);
  const check = [{ title: 'Easy', points: 9, steps: [{ op: 'read' as const, address: 0 }] }];
  await teacher().changeAssignment({ course_id, assignment_id, body: { check } });
  expect((await graded(teacher(), assignment_id)).map(({ grade }) => grade)).toEqual(
    before.map(({ grade }) => grade),
  );
  const body = {};
  expect(await teacher().gradeHandIns({ course_id, assignment_id, body })).toEqual({ queued: 2 });
  const after = await graded(teacher(), assignment_id);
  expect(after.map(({ attempt, counts, grade }) => [attempt, counts, grade.points])).toEqual([
    [1, true, 9],
    [2, true, 9],
    [1, false, 3],
  ]);
  const hand_in_ids = after.slice(2).map(({ hand_in_id }) => hand_in_id);
  await teacher().gradeHandIns({ course_id, assignment_id, body: { hand_in_ids } });
  expect((await graded(teacher(), assignment_id))[2]?.grade.points).toBe(9);
  const ada = bench.client(as('ada'));
  await expect(ada.gradeHandIns({ course_id, assignment_id, body })).rejects.toMatchObject({
    code: 'not_course_teacher',
  });
});

test('one that is to be graded again while it is graded waits once more, behind those without a grade', async () => {
  const { assignment_id } = await assign();
  let open = () => {};
  grader.faults.gate = new Promise((resolve) => {
    open = resolve;
  });
  for (const owner of ['ada', 'bob']) await handIn(owner, assignment_id, await build(owner));
  await expect.poll(() => grader.busy).toBe(true);
  const states = async () =>
    (await teacher().listHandIns({ course_id, assignment_id })).map(({ grade }) => grade.state);
  expect(await states()).toEqual(['queued', 'running']);
  const body = {};
  for (const _twice of [1, 2])
    expect(await teacher().gradeHandIns({ course_id, assignment_id, body })).toEqual({ queued: 2 });
  open();
  const all = await graded(teacher(), assignment_id);
  expect(grader.programmed).toHaveLength(3);
  const [bob = '', ada = ''] = all.map(({ grade }) => grade.graded_at ?? '');
  expect(bob < ada).toBe(true);
});

test('a template gives a student the file, its map and its panel', async () => {
  const job = await bench.reserve(0, as('tess'));
  const design_id = job.design_id ?? '';
  const map = { name: 'echo', registers: [{ name: 'WORD', address: 0, access: 'rw' as const, fields: [] }] };
  await teacher().putDesignMap({ design_id, body: map });
  const { assignment_id, template } = await assign({ template: { design_id } });
  expect(template).toEqual({ filename: 'design.v', bytes: SOURCE.length, documents: ['map'] });
  const ada = bench.client(as('ada'));
  expect(new TextDecoder().decode(await ada.getTemplate({ course_id, assignment_id }))).toBe(SOURCE);
  const begun = await ada.startAssignment({ course_id, assignment_id });
  expect(begun.filename).toBe('design.v');
  expect(await ada.getDesignMap({ design_id: begun.design_id })).toMatchObject({
    registers: [{ name: 'WORD' }],
  });
  // A map of the student's own stays.
  const own = { ...map, registers: [{ ...map.registers[0], name: 'MINE' }] } as typeof map;
  await ada.putDesignMap({ design_id: begun.design_id, body: own });
  await ada.startAssignment({ course_id, assignment_id });
  expect(await ada.getDesignMap({ design_id: begun.design_id })).toMatchObject({
    registers: [{ name: 'MINE' }],
  });
  // The template is a copy.
  await teacher().changeAssignment({ course_id, assignment_id, body: { template: null } });
  await expect(ada.getTemplate({ course_id, assignment_id })).rejects.toMatchObject({ code: 'no_template' });
});

test('a student sees published assignments, by deadline, and changes nothing', async () => {
  await assign({ title: 'Later', deadline: '2099-01-02T00:00:00+01:00' });
  await assign({ title: 'Free', attempts: null });
  await assign({ title: 'Draft', published: false });
  const { assignment_id } = await assign({ title: 'Sooner', deadline: '2099-01-01T00:00:00Z' });
  const ada = bench.client(as('ada'));
  const seen = await ada.listAssignments({ course_id });
  expect(seen.map(({ title }) => title)).toEqual(['Sooner', 'Later', 'Free']);
  expect(seen[1]?.deadline).toBe('2099-01-01T23:00:00.000Z');
  expect(await teacher().listAssignments({ course_id })).toHaveLength(4);
  for (const refused of [
    ada.createAssignment({ course_id, body: { title: 'Mine' } }),
    ada.changeAssignment({ course_id, assignment_id, body: { title: 'Mine' } }),
    ada.deleteAssignment({ course_id, assignment_id }),
  ])
    await expect(refused).rejects.toMatchObject({ code: 'not_course_teacher' });
  await expect(bench.client(as('eve')).listAssignments({ course_id })).rejects.toMatchObject({
    code: 'not_course_member',
  });
});

test.each([
  [{ title: 'x', deadline: '2026-12-31T23:59:60Z' }, 'deadline'],
  [{ title: 'x', deadline: 'tomorrow' }, 'deadline'],
  [{ title: 'x\ny' }, 'title'],
  [{ title: 'x', attempts: 0 }, 'attempts'],
  [
    {
      title: 'x',
      check: [{ title: 'a', points: 1, steps: [{ op: 'read', address: 0, expect: [{ saved: 'w' }] }] }],
    },
    'expect',
  ],
  [{ title: 'x', check: [{ title: 'a', points: -1, steps: [{ op: 'read', address: 0 }] }] }, 'points'],
])('bad input is refused and changes nothing: %j', async (json, field) => {
  const { status, body } = await bench.post<Refusal>(base, { json, headers: as('tess') });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(field)]);
  expect(await teacher().listAssignments({ course_id })).toEqual([]);
});

test('results as a table and as JUnit: all for a teacher, the own for a student', async () => {
  const { assignment_id } = await assign();
  await handIn('ada', assignment_id, await build('ada'));
  await graded(teacher(), assignment_id);
  const of = async (owner: string, format: string) =>
    (await bench.get<string>(`${base}/${assignment_id}/results.${format}`, { headers: as(owner) })).body;
  const table = await of('tess', 'csv');
  expect(table).toContain('ada,Ada,1,');
  expect(table).toContain(',graded,3,7,3,0,1075,63.2,');
  expect(table).toContain('bob,Bob,,,not handed in,0,,,,,,\r\n');
  expect(await of('tess', 'xml')).toContain('name="A secret"');
  const own = (await of('ada', 'csv')) + (await of('ada', 'xml'));
  expect(own).not.toMatch(/secret|Bob/i);
  expect(own).toContain('Hidden step');
});

test('a deleted assignment takes its hand-ins along, also while one is graded', async () => {
  const { assignment_id } = await assign();
  let open = () => {};
  grader.faults.gate = new Promise((resolve) => {
    open = resolve;
  });
  await handIn('ada', assignment_id, await build('ada'));
  await expect.poll(() => grader.busy).toBe(true);
  await teacher().deleteAssignment({ course_id, assignment_id });
  open();
  await expect(teacher().listHandIns({ course_id, assignment_id })).rejects.toMatchObject({
    code: 'assignment_not_found',
  });
  const other = await assign({ title: 'Another' });
  await handIn('ada', other.assignment_id, await build('ada'));
  expect(await graded(teacher(), other.assignment_id)).toHaveLength(1);
});

test('what was not graded when the service stopped is graded after it, and nothing else is', async () => {
  const { assignment_id } = await assign();
  await handIn('ada', assignment_id, await build('ada'));
  const [first] = await graded(teacher(), assignment_id);
  grader.faults.gate = new Promise(() => {});
  const jobs = [await build('ada', `${SOURCE}// 2`), await build('bob')];
  await handIn('ada', assignment_id, jobs[0] ?? '');
  await handIn('bob', assignment_id, jobs[1] ?? '');
  await expect.poll(() => grader.busy).toBe(true);
  await bench.bench.close();
  await start({ dataDir: bench.folder });
  const all = await graded(teacher(), assignment_id);
  expect(all.map(({ username, attempt, grade }) => [username, attempt, grade.points])).toEqual([
    ['bob', 1, 3],
    ['ada', 2, 3],
    ['ada', 1, 3],
  ]);
  expect(all[2]?.grade).toEqual({ ...first?.grade, steps: all[2]?.grade.steps });
  expect(grader.programmed).toHaveLength(2);
});

test('a damaged hand-in is set aside, and the others stay; a backup has them all', async () => {
  const { assignment_id } = await assign();
  for (const owner of ['ada', 'bob']) await handIn(owner, assignment_id, await build(owner));
  const all = await graded(teacher(), assignment_id);
  const file = path.join(bench.folder, 'backup.tar.gz');
  expect(await backUp(bench.folder, file, new Date())).toBeGreaterThan(0);
  await bench.bench.close();
  const data = bench.folder;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-restored-'));
  await prepareRestore(folder, file, new Date());
  const damaged = path.join(data, 'assignments', assignment_id, `${all[0]?.hand_in_id}.json`);
  await writeFile(damaged, '{"hand_in_id":');
  await start({ dataDir: data });
  expect((await graded(teacher(), assignment_id)).map(({ username }) => username)).toEqual(['ada']);
  expect(bench.log).toContain(`${all[0]?.hand_in_id}.json`);
  await bench.stop();
  await start({ dataDir: folder });
  expect(await graded(teacher(), assignment_id)).toEqual(all);
  const { hand_in_id = '' } = all[1] ?? {};
  expect(await teacher().getHandInSource({ course_id, assignment_id, hand_in_id })).toHaveLength(
    SOURCE.length,
  );
});

test('a member’s data can be exported and erased', async () => {
  const { assignment_id } = await assign();
  await handIn('ada', assignment_id, await build('ada'));
  await handIn('bob', assignment_id, await build('bob'));
  await graded(teacher(), assignment_id);
  const { unzipSync, strFromU8 } = await import('fflate');
  const files = unzipSync(await bench.client(as('ada')).exportMember({ course_id, username: 'ada' }));
  expect(strFromU8(files[`hand-ins/${assignment_id}/1/design.v`] ?? new Uint8Array())).toBe(SOURCE);
  expect(strFromU8(files['member.json'] ?? new Uint8Array())).toContain('Hidden step');
  await teacher().eraseMember({ course_id, username: 'ada' });
  const left = await teacher().listHandIns({ course_id, assignment_id });
  expect(left.map(({ username }) => username)).toEqual(['bob']);
  // Bob handed in the same source, which stays.
  const { hand_in_id = '' } = left[0] ?? {};
  expect(await teacher().getHandInSource({ course_id, assignment_id, hand_in_id })).toHaveLength(
    SOURCE.length,
  );
});
