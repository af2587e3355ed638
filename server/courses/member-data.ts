import { strToU8 } from 'fflate';
import type { ShareUse } from '../contract/courses/shares.ts';
import { zipOf } from '../zip.ts';
import type { HandIns } from './assignments/hand-ins.ts';
import type { StoredCourse, StoredMember } from './records.ts';

/** All that a course stores about a member, as a zip file: `member.json` and the handed-in sources. */
export async function exportMember(
  course: StoredCourse,
  member: StoredMember,
  { handIns, used, now }: { handIns: HandIns; used: ShareUse; now: number },
): Promise<Buffer> {
  const { course_id, name } = course;
  const { data, files } = await handIns.exportOf(course, member.username);
  const record = { course_id, course: name, member, used, hand_ins: data };
  const contents = { 'member.json': strToU8(`${JSON.stringify(record, null, 2)}\n`), ...files };
  return await zipOf(contents, now);
}
