import { checkOf } from '../contract/check.ts';
import { MAX_MEMBERS, MembersRequest } from '../contract/courses/courses.ts';
import { COURSE_ROLES } from '../contract/courses/words.ts';
import { readTable } from '../contract/csv.ts';
import type { FieldProblem } from '../contract/failures.ts';
import { coursesError } from '../errors/courses.ts';
import { sameName } from './names.ts';

/** A member to be added. */
export type ListedMember = MembersRequest['members'][number];

interface Problem {
  line: number;
  problem: string;
}

/** Problems of a list that are named; more are counted. */
const MAX_PROBLEMS = 20;

const { name: Name, email: Email } = MembersRequest.properties.members.items.properties;
const isName = checkOf(Name);
const isEmail = checkOf(Email);

function unreadable(problems: readonly Problem[]): Error {
  const named = [...problems].sort((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
  const more = problems.length - named.length;
  const text = named.map(({ line, problem }) => `Line ${line}: ${problem}.`).join(' ');
  return coursesError('members_unreadable', {
    message: more > 0 ? `${text} ${more} more lines have problems.` : text,
    remedy: 'Correct these lines and send the list again; nobody was added.',
    fields: named.map(
      ({ line, problem }): FieldProblem => ({ loc: ['body', line], msg: problem, type: 'value_error' }),
    ),
  });
}

/** The members of a CSV list. @throws members_unreadable with the lines, too_many_members. */
export function readMemberList(text: string): ListedMember[] {
  const table = readTable(text);
  if ('quote' in table) throw unreadable([{ line: table.quote, problem: 'a quoted cell is not closed' }]);
  const [head, ...rows] = table.rows;
  const columns = head?.cells.map((title) => title.trim().toLowerCase().replace('e-mail', 'email')) ?? [];
  if (!columns.includes('name')) throw coursesError('members_unreadable');
  if (rows.length === 0) throw coursesError('members_unreadable', { message: 'The list has no members.' });
  if (rows.length > MAX_MEMBERS)
    throw coursesError('too_many_members', {
      message: `The list has ${rows.length} members; a course has at most ${MAX_MEMBERS}.`,
    });
  const problems: Problem[] = [];
  const members = rows.map(({ line, cells }): ListedMember => {
    const cellOf = (column: string): string => (cells[columns.indexOf(column)] ?? '').trim();
    const name = cellOf('name');
    const email = cellOf('email') || null;
    const role = COURSE_ROLES.find((one) => one === (cellOf('role').toLowerCase() || 'student'));
    if (name === '') problems.push({ line, problem: 'it has no name' });
    else if (!isName(name)) problems.push({ line, problem: 'its name is too long or is not one line' });
    if (email !== null && !isEmail(email))
      problems.push({ line, problem: 'its e-mail address is not valid' });
    if (!role) problems.push({ line, problem: 'its role is neither teacher nor student' });
    return { name, email, role: role ?? 'student' };
  });
  const lines = rows.map(({ line }) => line);
  requireDistinct(members, lines, problems);
  return members;
}

/**
 * Refuses a list with other problems, or in which a member has the name or the username of an earlier one.
 * @param lines the line of each member; default its number in the list
 * @throws members_unreadable with the lines.
 */
export function requireDistinct(
  members: readonly ListedMember[],
  lines: readonly number[] = members.map((_, at) => at + 1),
  others: readonly Problem[] = [],
): void {
  const seen = new Map<string, number>();
  const repeated = members.flatMap(({ name, username }, at): Problem[] => {
    const line = lines[at] ?? 0;
    const keys = [`name ${sameName(name)}`, ...(username === undefined ? [] : [`user ${username}`])];
    const earlier = keys.flatMap((key) => seen.get(key) ?? [])[0];
    for (const key of keys) if (!seen.has(key)) seen.set(key, line);
    return earlier === undefined ? [] : [{ line, problem: `it is the same as line ${earlier}` }];
  });
  if (repeated.length + others.length > 0) throw unreadable([...others, ...repeated]);
}
