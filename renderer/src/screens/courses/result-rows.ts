import type { HandIn } from '../../../../server/contract/courses/assignments.ts';
import type { MemberView } from '../../../../server/contract/courses/courses.ts';

/** A student with the hand-in that counts. */
export interface ResultRow {
  username: string;
  name: string;
  handIn: HandIn | undefined;
}

export type ResultColumn = 'name' | 'points' | 'luts' | 'fmax';

/** A row for each student, and for who handed in and has left. Hand-ins of teachers are trials. */
export function resultRows(members: readonly MemberView[], handIns: readonly HandIn[]): ResultRow[] {
  const rows = new Map<string, ResultRow>();
  for (const { username, name, role } of members)
    if (role === 'student') rows.set(username, { username, name, handIn: undefined });
  const teachers = new Set(members.flatMap(({ role, username }) => (role === 'teacher' ? [username] : [])));
  for (const handIn of handIns)
    if (handIn.counts && !teachers.has(handIn.username)) rows.set(handIn.username, { ...handIn, handIn });
  return [...rows.values()];
}

const figureOf = ({ handIn }: ResultRow, column: ResultColumn): number | null => {
  return column === 'name' || handIn?.grade.state !== 'graded' ? null : handIn.grade[column];
};

/** Sorts by a column; rows without a value are last in either direction, and equal ones go by name. */
export function sortRows(rows: readonly ResultRow[], column: ResultColumn, descending: boolean): ResultRow[] {
  const sign = descending ? -1 : 1;
  const byName = (a: ResultRow, b: ResultRow) => a.name.localeCompare(b.name, undefined, { numeric: true });
  return [...rows].sort((a, b) => {
    if (column === 'name') return sign * byName(a, b);
    const [x, y] = [figureOf(a, column), figureOf(b, column)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byName(a, b);
    return sign * (x - y) || byName(a, b);
  });
}
