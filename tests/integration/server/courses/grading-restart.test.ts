import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../../../server/contract/client/client.ts';
import { CliProcess } from '../../../support/api/cli-process.ts';
import { keepBuilt } from '../../../support/built.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-grading-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOKEN = 'a-token-of-the-test';
const SOURCE = 'echo.v';
const STUDENTS = ['ada', 'bob', 'cleo', 'dan'];

async function start(): Promise<{ service: CliProcess; as: (key: string) => Client; operator: Client }> {
  const service = new CliProcess(['serve', '--port', '0', '--data', folder], {
    WISHBENCH_OPERATOR_TOKEN: TOKEN,
  });
  const base = await service.url();
  const client = (headers: Record<string, string>) => createClient({ base, headers: () => headers });
  return {
    service,
    as: (key) => client({ 'x-api-key': key }),
    operator: client({ 'x-operator-token': TOKEN }),
  };
}

test('a service that is killed in the middle of grading goes on after its start, and grades nothing twice', async () => {
  await keepBuilt(folder, [SOURCE]);
  const first = await start();
  const { course_id } = await first.operator.createCourse({ body: { name: 'Lab' } });
  const members = STUDENTS.map((username) => ({ name: username, username }));
  await first.operator.addMembers({ course_id, body: { members } });
  // Long enough that the kill comes during a grading.
  const steps = [
    { op: 'delay' as const, ms: 400 },
    { op: 'read' as const, address: 0 },
  ];
  const { assignment_id } = await first.operator.createAssignment({
    course_id,
    body: { title: 'Echo', check: [{ title: 'It answers', points: 1, steps }] },
  });
  const assignment = { course_id, assignment_id };
  const contents = await first.operator.getExample({ file: SOURCE });
  for (const student of STUDENTS) {
    const client = first.as(student);
    const { job_id } = await client.submitToAnyNode({ body: { file: { name: SOURCE, contents } } });
    await client.handIn({ ...assignment, body: { job_id } });
  }
  const grades = async (client: Client) =>
    (await client.listHandIns(assignment)).reverse().map(({ grade }) => grade);
  const graded = async () => (await grades(first.operator)).filter(({ state }) => state === 'graded');
  await expect.poll(graded, { interval: 20 }).not.toEqual([]);
  const before = await graded();
  await first.service.end('SIGKILL');

  const second = await start();
  const after = async () => (await grades(second.operator)).map(({ state, points }) => [state, points]);
  await expect.poll(after, { interval: 50 }).toEqual(STUDENTS.map(() => ['graded', 1]));
  const all = await second.operator.listHandIns(assignment);
  expect(all.map(({ username, attempt }) => [username, attempt])).toEqual(
    STUDENTS.toReversed().map((name) => [name, 1]),
  );
  expect((await grades(second.operator)).slice(0, before.length)).toEqual(before);
  await second.service.end('SIGTERM');
});
