import type { Result } from '../../contract/courses/results.ts';
import { spreadsheetOf } from '../../contract/csv.ts';
import { type JunitCase, junitXml } from '../../scripts/junit.ts';

/** A table with a row for each student and a column for each step of the check; cells of other checks are empty. */
export function resultsCsv(check: readonly { title: string }[], results: readonly Result[]): string {
  const titles = check.map(({ title }) => title);
  const head = ['username', 'name', 'attempt', 'handed_in_at', 'state', 'points', 'of'];
  const figures = ['luts', 'fmax', 'error'];
  const rows = results.map(({ username, name, handIn }) => {
    const { attempt, at, grade } = handIn ?? {};
    const steps = titles.map((title, i) => {
      const same = grade?.steps[i]?.title === title ? grade.steps[i] : undefined;
      return (same ?? grade?.steps.find((one) => one.title === title))?.points;
    });
    const { state = 'not handed in', points = 0, of, luts, fmax, error } = grade ?? {};
    return [username, name, attempt, at, state, points, of, ...steps, luts, fmax, error?.message];
  });
  return spreadsheetOf([[...head, ...titles, ...figures], ...rows]);
}

/** JUnit XML: a suite for each student who has handed in, with a test case for each step. */
export function resultsJunit(title: string, results: readonly Result[]): string {
  const suites = results.flatMap(({ username: classname, name, handIn }) => {
    if (!handIn) return [];
    const { steps, error, state } = handIn.grade;
    const cases = steps.map(({ title: step, ok, message }): JunitCase => {
      const outcome = { kind: 'failure', message: message ?? '' } as const;
      return { classname, name: step, ...(!ok && { outcome }) };
    });
    if (error)
      cases.push({
        classname,
        name: title,
        outcome: { kind: 'error', type: error.code, message: error.message },
      });
    else if (steps.length === 0 && state !== 'graded')
      cases.push({ classname, name: title, outcome: { kind: 'skipped' } });
    return [{ name, at: handIn.at, cases }];
  });
  return junitXml(title, suites);
}
