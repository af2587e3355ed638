import type { CourseView } from '../../../server/contract/courses/courses.ts';
import type { MintedKey } from '../../../server/contract/identity/identity.ts';
import { TestBench, type TestBenchOptions } from '../api/test-bench.ts';

const TOKEN = 'the token of the operator';
export const operator = { headers: { 'x-operator-token': TOKEN } };

/** A bench with keys in force and a course, for its operator; `path` is the address of the course. */
export async function withCourse(
  use: (bench: TestBench, path: string) => Promise<void>,
  course: object = {},
  options: TestBenchOptions = {},
): Promise<void> {
  const bench = await TestBench.start({
    operatorToken: TOKEN,
    settings: { auth: { enforcement: true } },
    ...options,
  });
  try {
    const json = { name: 'Digital Design', ...course };
    const made = await bench.post<CourseView>('/courses', { json, ...operator });
    if (made.status !== 201) throw new Error(`The course was not made: ${JSON.stringify(made.body)}`);
    await use(bench, `/courses/${made.body.course_id}`);
  } finally {
    await bench.stop();
  }
}

/** A key for a user, as headers of its requests. */
export async function keyOf(bench: TestBench, owner: string): Promise<{ headers: Record<string, string> }> {
  const { body } = await bench.post<MintedKey>('/auth/keys', { json: { owner }, ...operator });
  return { headers: { 'x-api-key': body.api_key } };
}
