import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, createBench } from '../../../../server/bench.ts';
import { realToolchain } from '../../../../server/bench-parts.ts';
import { type Client, createClient } from '../../../../server/contract/client/client.ts';
import { silentLogger } from '../../../../server/log.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { forkWithStoredRuns } from '../../../support/toolchain/stored-runs.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'wishbench-grading-'));
let bench: Bench;
const as = (headers: Record<string, string>): Client =>
  createClient({ base: bench.url, headers: () => headers });
const user = (key: string) => as({ 'x-api-key': key });

beforeAll(async () => {
  bench = await createBench({
    dataDir,
    port: 0,
    logger: silentLogger,
    operatorToken: 'a-token-of-the-test',
    toolchain: (foundation) => realToolchain(foundation, forkWithStoredRuns),
  });
});
afterAll(async () => {
  await bench.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('two students hand a real design in, one right and one wrong, before it is built; the grades tell them apart', async () => {
  const operator = as({ 'x-operator-token': 'a-token-of-the-test' });
  const { course_id } = await operator.createCourse({ body: { name: 'Digital design' } });
  const members = [
    { name: 'Tess', username: 'tess', role: 'teacher' as const },
    { name: 'Ada', username: 'ada' },
    { name: 'Bob', username: 'bob' },
  ];
  await operator.addMembers({ course_id, body: { members } });

  const contents = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  const submit = async (client: Client, source: string) =>
    await client.submitToAnyNode({ body: { file: { name: 'echo.v', contents: source } } });
  const tess = user('tess');
  const first = await tess.submitDesign({ fpga_id: 0, body: { file: { name: 'echo.v', contents } } });
  const { design_id = '' } = await tess.jobEnded(first);
  const check = [
    {
      title: 'Words come back',
      points: 6,
      steps: [
        { op: 'write' as const, address: 0, data: [1, 0xffff_ffff] },
        { op: 'read' as const, address: 0, expect: [1, 0xffff_ffff] },
      ],
    },
    {
      title: 'The last word too',
      points: 4,
      hidden: true,
      steps: [
        { op: 'write' as const, address: 0x7fc, data: [5] },
        { op: 'read' as const, address: 0, expect: [1] },
        { op: 'read' as const, address: 0x7fc, expect: [5] },
      ],
    },
  ];
  const body = { title: 'Echo', check, template: { design_id } };
  const { assignment_id } = await tess.createAssignment({ course_id, body });
  const assignment = { course_id, assignment_id };

  // Bob's memory writes every word to one place.
  const wrong = contents.replace('memory[wb_adr] <= wb_dat_w', "memory[9'd0] <= wb_dat_w");
  expect(wrong).not.toBe(contents);
  for (const [name, source] of [
    ['ada', new TextDecoder().decode(await user('ada').getTemplate(assignment))],
    ['bob', wrong],
  ] as const) {
    const job = await submit(user(name), source);
    await user(name).handIn({ ...assignment, body: { job_id: job.job_id } });
  }
  const grades = async () => (await tess.listHandIns(assignment)).map(({ grade }) => grade.state);
  await expect.poll(grades, { timeout: 240_000, interval: 250 }).toEqual(['graded', 'graded']);

  const [bob, ada] = await tess.listHandIns(assignment);
  expect(ada?.grade).toMatchObject({ points: 10, of: 10, error: null });
  expect(bob?.grade.steps.map(({ ok }) => ok)).toEqual([false, false]);
  expect(bob?.grade.steps[0]?.message).toContain('word 0 is 0xffffffff, expected 0x1');
  for (const one of [ada, bob]) {
    expect(one?.grade.luts).toBeGreaterThan(50);
    expect(one?.grade.fmax).toBeGreaterThan(12);
  }
  const table = new TextDecoder().decode(await tess.exportResults({ ...assignment, format: 'csv' }));
  const rows = table.split('\r\n').map((row) => row.split(','));
  expect(rows.slice(1, 3).map((row) => [row[0], row[5], row[6], row[7], row[8]])).toEqual([
    ['ada', '10', '10', '6', '4'],
    ['bob', '0', '10', '0', '0'],
  ]);
});
