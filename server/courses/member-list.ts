import { checkOf } from '../contract/check.ts';
import { MAX_MEMBERS, MembersRequest } from '../contract/courses/courses.ts';
import { COURSE_ROLES } from '../contract/courses/words.ts';
import type { FieldProblem } from '../contract/failures.ts';
import { coursesError } from '../errors/courses.ts';
import { readTable } from '../registermap/csv.ts';

/** A member to be added. */
export type ListedMember = MembersRequest['members'][number];

/** Problems of a list that are named; more are counted. */
const MAX_PROBLEMS = 20;

const { name: Name, email: Email } = MembersRequest.properties.members.items.properties;
const isName = checkOf(Name);
const isEmail = checkOf(Email);

/** Names are compared without regard to case and spaces. */
export const sameName = (name: string): string =>
  name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

function unreadable(problems: { line: number; problem: string }[]): Error {
  const named = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length - named.length;
  const fields = named.map(
    ({ line, problem }): FieldProblem => ({ loc: ['body', line], msg: problem, type: 'value_error' }),
  );
  return coursesError('members_unreadable', {
    message: `${named.map(({ line, problem }) => `Line ${line}: ${problem}.`).join(' ')}${more > 0 ? ` ${more} more lines have problems.` : ''}`,
    remedy: 'Correct these lines and send the list again; nobody was added.',
    fields,
  });
}

/** The members of a CSV list. @throws members_unreadable with the lines, too_many_members. */
export function readMemberList(text: string): ListedMember[] {
  const table = readTable(text);
  if ('quote' in table) throw unreadable([{ line: table.quote, problem: 'a quoted cell is not closed' }]);
  const [head, ...rows] = table.rows;
  const columns = head?.cells.map((title) => title.trim().toLowerCase()) ?? [];
  const [nameAt, emailAt, roleAt] = ['name', 'email', 'role'].map((title) =>
    columns.findIndex((column) => column.replace('e-mail', 'email') === title),
  ) as [number, number, number];
  if (nameAt < 0) throw coursesError('members_unreadable');
  if (rows.length === 0) throw coursesError('members_unreadable', { message: 'The list has no members.' });
  if (rows.length > MAX_MEMBERS)
    throw coursesError('too_many_members', {
      message: `The list has ${rows.length} members; a course has at most ${MAX_MEMBERS}.`,
    });
  const problems: { line: number; problem: string }[] = [];
  const members = rows.map(({ line, cells }): ListedMember => {
    const [name, email, role] = [nameAt, emailAt, roleAt].map((at) => (cells[at] ?? '').trim()) as [
      string,
      string,
      string,
    ];
    const known = role === '' ? 'student' : COURSE_ROLES.find((one) => one === role.toLowerCase());
    if (name === '') problems.push({ line, problem: 'it has no name' });
    else if (!isName(name)) problems.push({ line, problem: 'its name is too long or is not one line' });
    if (email !== '' && !isEmail(email)) problems.push({ line, problem: 'its e-mail address is not valid' });
    if (!known) problems.push({ line, problem: 'its role is neither teacher nor student' });
    return { name, email: email === '' ? null : email, role: known ?? 'student' };
  });
  problems.push(...sameAsEarlier(members, (at) => rows[at]?.line ?? 0));
  if (problems.length > 0) throw unreadable(problems.sort((a, b) => a.line - b.line));
  return members;
}

/** The list of a JSON request. @throws members_unreadable where two members have the same name. */
export function requireDistinct(members: readonly ListedMember[]): void {
  const problems = sameAsEarlier(members, (at) => at + 1);
  if (problems.length > 0) throw unreadable(problems);
}

/** Members of a list with the name or the username of an earlier one. @param lineOf the line of a member */
function sameAsEarlier(members: readonly ListedMember[], lineOf: (at: number) => number) {
  const seen = new Map<string, number>();
  return members.flatMap(({ name, username }, at) => {
    const keys = [`name ${sameName(name)}`, ...(username === undefined ? [] : [`user ${username}`])];
    const earlier = keys.map((key) => seen.get(key)).find((one) => one !== undefined);
    for (const key of keys) if (!seen.has(key)) seen.set(key, at);
    return earlier === undefined
      ? []
      : [{ line: lineOf(at), problem: `it is the same as line ${lineOf(earlier)}` }];
  });
}
