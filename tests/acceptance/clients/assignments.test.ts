import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssignmentView, HandIn } from '../../../server/contract/courses/assignments.ts';
import type { CliResult } from '../../support/api/cli-process.ts';
import { runCli } from '../../support/api/run-cli.ts';
import { SOURCE, TestBench } from '../../support/api/test-bench.ts';
import { endPythons, runPython } from '../../support/clients/python.ts';
import { FAKE_HOLE, FakeBoard } from '../../support/fake-board.ts';

const TOKEN = 'a-token-of-the-test';
const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-assignments-'));
const file = (name: string) => path.join(folder, name);
let bench: TestBench;
let course_id: string;

beforeAll(async () => {
  bench = await TestBench.start({ operatorToken: TOKEN, gradingBoard: async () => new FakeBoard(10) });
  const operator = bench.client({ 'x-operator-token': TOKEN });
  ({ course_id } = await operator.createCourse({ body: { name: 'Digital design' } }));
  const members = [
    { name: 'Tess', username: 'tess', role: 'teacher' as const },
    { name: 'Ada', username: 'ada' },
  ];
  await operator.addMembers({ course_id, body: { members } });
  const check = [
    { title: 'It answers', points: 2, steps: [{ op: 'read', address: 0 }] },
    { title: 'It answers everywhere', points: 3, steps: [{ op: 'read', address: FAKE_HOLE }] },
  ];
  writeFileSync(file('check.json'), JSON.stringify(check));
  writeFileSync(file('easy.json'), JSON.stringify(check.slice(0, 1)));
  writeFileSync(file('lab.md'), '# Lab 1\n\nMake it answer.\n');
});
afterAll(async () => {
  await endPythons();
  await bench.stop();
  rmSync(folder, { recursive: true, force: true });
});

const as = (owner: string, ...args: string[]): Promise<CliResult> =>
  runCli(args, { WISHBENCH_URL: bench.url, WISHBENCH_KEY: owner });

test('command: a teacher assigns, a student starts, hands in and waits for the grade, and results are a table', async () => {
  const job = await bench.reserve(0, { 'x-api-key': 'tess' });
  const options = [
    '--text',
    file('lab.md'),
    '--check',
    file('check.json'),
    '--template',
    job.design_id ?? '',
  ];
  const made = await as('tess', 'course', 'assign', course_id, 'Lab 1', ...options, '--attempts', '2');
  expect(made).toMatchObject({ code: 0, stderr: '“Lab 1” has 2 steps with 5 points.\n' });
  const changed = ['--deadline', '2099-01-31T18:00+01:00', '--json'];
  const view = JSON.parse(
    (await as('tess', 'course', 'assign', course_id, 'lab 1', ...changed)).stdout,
  ) as AssignmentView;
  expect(view).toMatchObject({
    deadline: '2099-01-31T17:00:00.000Z',
    attempts: 2,
    text: '# Lab 1\n\nMake it answer.\n',
  });
  const listed = await as('ada', 'course', 'assignments', course_id);
  expect(listed.stdout).toMatch(/^Lab 1 +open +until 2099-01-31T17:00:00\.000Z +0 handed in\n$/);

  expect((await as('ada', 'course', 'start', course_id, 'Lab 1', '-o', file('design.v'))).code).toBe(0);
  expect(readFileSync(file('design.v'), 'utf8')).toBe(SOURCE);
  const { stdout } = await as('ada', 'submit', '--any', file('design.v'), '--json');
  const { job_id } = JSON.parse(stdout) as { job_id: string };
  const handed = await as('ada', 'course', 'hand-in', course_id, 'Lab 1', job_id, '--wait');
  expect(handed.code).toBe(1);
  expect(handed.stdout).toMatch(/^✓ It answers: 2 of 2\n✗ It answers everywhere: 0 of 3\. .*No acknowledge/);
  expect(handed.stderr).toContain('2 of 5 points, 1075 LUTs, 63.2 MHz.');

  expect((await as('tess', 'course', 'results', course_id, 'Lab 1')).stdout).toMatch(
    /^Ada +ada +attempt 1 +graded +2 of 5 +1075 LUTs +63\.2 MHz\n$/,
  );
  await as('tess', 'course', 'assign', course_id, 'Lab 1', '--check', file('easy.json'));
  expect((await as('tess', 'course', 'grade', course_id, 'Lab 1')).stderr).toBe(
    '1 hand-in waits to be graded.\n',
  );
  const points = async () =>
    (JSON.parse((await as('ada', 'course', 'results', course_id, 'Lab 1', '--json')).stdout) as HandIn[])[0]
      ?.grade.of;
  await expect.poll(points).toBe(2);
  await as('tess', 'course', 'results', course_id, view.assignment_id, '--csv', '-o', file('lab.csv'));
  expect(readFileSync(file('lab.csv'), 'utf8')).toContain('ada,Ada,1,');
  expect((await as('tess', 'course', 'results', course_id, 'Lab 1', '--junit')).stdout).toContain(
    '<testsuite name="Ada"',
  );

  expect(await as('ada', 'course', 'results', course_id, 'Lab 2')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no assignment “Lab 2”'),
  });
  expect((await as('ada', 'course', 'grade', course_id, 'Lab 1')).code).toBe(1);
  const vague = await as('tess', 'course', 'assign', course_id, 'Lab 1', '--deadline', 'tomorrow');
  expect(vague).toMatchObject({ code: 2, stderr: expect.stringContaining('not “tomorrow”') });
  expect((await as('tess', 'course', 'assign', course_id, 'x', '--check', file('lab.md'))).stderr).toContain(
    'is not a check',
  );
});

test('Python: the same', async () => {
  const { stdout, stderr } = await runPython(
    `import csv, io, json, wishbench
tess, ada = (wishbench.Bench(${JSON.stringify(bench.url)}, key=key) for key in ("tess", "ada"))
with open(${JSON.stringify(file('check.json'))}) as check:
    made = tess.assign("${course_id}", "Lab 3", check=json.load(check), attempts=1)
lab = made["assignment_id"]
print([one["title"] for one in ada.assignments("${course_id}") if one["assignment_id"] == lab])
job = ada.submit("design.v", contents="module echo; endmodule")
handed = ada.hand_in("${course_id}", lab, job)
print(ada.hand_in("${course_id}", lab, job.id)["hand_in_id"] == handed["hand_in_id"])
grade = ada.graded("${course_id}", lab, handed["hand_in_id"])["grade"]
print(grade["state"], grade["points"], grade["of"], [step["ok"] for step in grade["steps"]])
print(tess.hand_in_source("${course_id}", lab, handed["hand_in_id"]).decode())
print(tess.change_assignment("${course_id}", lab, title="Lab 4")["title"], tess.grade("${course_id}", lab))
print(list(csv.DictReader(io.StringIO(tess.results("${course_id}", lab))))[0]["name"])
try:
    ada.hand_in("${course_id}", lab, ada.submit("design.v", contents="module other; endmodule"))
except wishbench.Refused as error:
    print(error.code)
tess.delete_assignment("${course_id}", lab)
print(len(tess.assignments("${course_id}")))
`,
    { url: bench.url },
  );
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    "['Lab 3']",
    'True',
    'graded 2 5 [True, False]',
    'module echo; endmodule',
    'Lab 4 1',
    'Ada',
    'no_attempts_left',
    '1',
    '',
  ]);
});

test('Python: an operator makes a course, adds members and gets their links', async () => {
  const { api_key: key } = await bench
    .client({ 'x-operator-token': TOKEN })
    .mintKey({ body: { owner: 'tina', operator: true } });
  const { stdout, stderr } = await runPython(
    `import wishbench
operator = wishbench.Bench(${JSON.stringify(bench.url)}, key=${JSON.stringify(key)})
made = operator.create_course("Python course", shares={"sessions": 1})
course = made["course_id"]
print(course, [one["username"] for one in operator.add_members(course, [{"name": "Eve"}])["added"]])
print(operator.change_course(course, ends_on="2099-07-31")["ends_on"])
print([(one["name"], "#/join/" in one["url"]) for one in operator.invite_members(course)])
print([one["invited"] for one in operator.course(course)["members"]], course in [one["course_id"] for one in operator.courses()])
`,
    { url: bench.url },
  );
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    "python-course ['python-course-01']",
    '2099-07-31',
    "[('Eve', True)]",
    '[True] True',
    '',
  ]);
});
