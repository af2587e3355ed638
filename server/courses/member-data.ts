import { strToU8, zip } from 'fflate';
import type { CourseWork } from './directory.ts';
import type { StoredCourse, StoredMember } from './records.ts';

/** All that a course stores about a member, as a zip file: `member.json` and the handed-in sources. */
export async function exportMember(
  { course_id, name }: StoredCourse,
  member: StoredMember,
  work: CourseWork,
  used: unknown,
  now: number,
): Promise<Uint8Array> {
  const { data, files } = await work.exportOf(course_id, member.username);
  const record = { course_id, course: name, member, used, hand_ins: data };
  const contents = { 'member.json': strToU8(`${JSON.stringify(record, null, 2)}\n`), ...files };
  return await new Promise((resolve, reject) =>
    zip(contents, { level: 6, mtime: now }, (error, bytes) => (error ? reject(error) : resolve(bytes))),
  );
}
