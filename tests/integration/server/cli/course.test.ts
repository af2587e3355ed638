import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CourseView, MemberView } from '../../../../server/contract/courses/courses.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const TOKEN = 'the token of this operator';
const folder = temporaryFolder('course');
let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start({ operatorToken: TOKEN, settings: { auth: { enforcement: true } } });
});
afterAll(() => bench.stop());

const cli = (...args: string[]) =>
  runCli(['course', ...args], {
    ...{ XDG_CONFIG_HOME: folder, APPDATA: folder },
    ...{ WISHBENCH_URL: bench.url, WISHBENCH_OPERATOR_TOKEN: TOKEN },
  });
const json = async <T>(...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await cli(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
};

test('a teacher makes a course, adds a list, prints links and a code, watches and removes', async () => {
  const shares = ['--sessions', '1', '--idle-minutes', '10'];
  const made = await json<CourseView>('create', 'Lab', '--book', 'tuesday 14:00-16:00 5', ...shares);
  expect(made).toMatchObject({
    course_id: 'lab',
    shares: { sessions: 1, idle_minutes: 10 },
    bookings: [{ day: 'tuesday', from: '14:00', to: '16:00', nodes: 5 }],
  });
  // A limit that is not named stays, and 0 removes one.
  const changed = await json<CourseView>('change', 'lab', '--sessions', '0', '--book', 'none');
  expect(changed).toMatchObject({ shares: { sessions: null, idle_minutes: 10 }, bookings: [] });
  expect((await cli('change', 'lab', '--book', 'doomsday')).stderr).toMatch(/--book must be a slot such as/);

  const list = path.join(folder, 'list.csv');
  writeFileSync(list, 'name;email\nÄda Lovelace;ada@example.org\nBob;\n');
  expect((await cli('members', 'lab', list)).stderr).toBe('2 added, 0 present before.\n');
  writeFileSync(list, Buffer.from('name\nÄda\n', 'latin1'));
  const refused = await cli('members', 'lab', list);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not UTF-8')]);
  const links = (await cli('invite', 'lab')).stdout.trim().split('\r\n');
  expect(links).toHaveLength(3);
  expect(links[1]).toMatch(/Äda Lovelace.*#\/join\/wbi_/);

  const [code = '', url] = (await cli('code', 'lab')).stdout.trim().split('\n');
  expect(url).toContain(`#/course/${code}`);
  expect((await cli('code', 'lab', '--close')).code).toBe(0);

  expect((await cli('wall', 'lab')).stdout).toMatch(/^Äda Lovelace +lab-01 +away$/m);
  expect((await cli('remove', 'lab', 'lab-02', '--erase')).code).toBe(0);
  const left = await json<MemberView[]>('members', 'lab');
  expect(left.map(({ name, invited }) => [name, invited])).toEqual([['Äda Lovelace', true]]);
  expect((await cli('list')).stdout).toMatch(/^lab +Lab +operator +1 member$/m);
});
