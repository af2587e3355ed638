import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client } from '../../contract/client/client.ts';
import type { Grade, HandIn } from '../../contract/courses/assignments.ts';
import { plural } from '../../text.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson, printNotice, progress } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { writeOutput } from '../shared/files.ts';
import { interruptible } from '../shared/wait.ts';
import { whichJob } from '../shared/which-job.ts';
import { type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { whichAssignment } from './course-assignments.ts';

/** The commands for working on an assignment: its template, hand-ins and grades. */
export function declareHandIns(line: CommandLine, course: Command): void {
  line
    .asking(
      'start <COURSE> <ASSIGNMENT>',
      'save the file to start from, and get its register map and panel',
      "wishbench course start digital-design 'Lab 1'",
      start,
      course,
    )
    .option('-o, --output <FILE>', 'output file; by default its own name');
  line
    .asking(
      'hand-in <COURSE> <ASSIGNMENT> <WHICH>',
      'hand a build in: a job, or a node for its newest build',
      "wishbench course hand-in digital-design 'Lab 1' 3 --wait",
      handIn,
      course,
    )
    .option('--wait', 'wait for the grade; exit code 1 unless every step passes');
  line
    .asking(
      'results <COURSE> <ASSIGNMENT>',
      'show hand-ins and grades: all for a teacher, else yours',
      "wishbench course results digital-design 'Lab 1' --csv -o lab1.csv",
      results,
      course,
    )
    .option('--csv', 'as a table for spreadsheets')
    .option('--junit', 'as JUnit XML')
    .option('-o, --output <FILE>', 'output file for --csv and --junit', '-');
  line.asking(
    'grade <COURSE> <ASSIGNMENT>',
    'grade again what counts of each member (teacher)',
    "wishbench course grade digital-design 'Lab 1'",
    grade,
    course,
  );
}

/** `course start COURSE ASSIGNMENT`: saves the template. */
async function start(
  course_id: string,
  word: string,
  options: ServiceOptions & { output?: string },
): Promise<number> {
  await withService(options, async (client) => {
    const { assignment_id } = await whichAssignment(client, course_id, word);
    const { filename } = await client.startAssignment({ course_id, assignment_id });
    const bytes = await client.getTemplate({ course_id, assignment_id });
    await writeOutput(options.output ?? filename, bytes, options.json);
  });
  return EXIT.done;
}

/** Pause between two requests for a grade, ms. */
const LOOK_MS = 1000;

const isWaiting = ({ state }: Grade): boolean => state === 'queued' || state === 'running';

/** Waits for the grade of a hand-in. */
async function gradeOf(
  client: Client,
  address: { course_id: string; assignment_id: string },
  hand_in_id: string,
): Promise<HandIn> {
  for (;;) {
    const found = (await client.listHandIns(address)).find((one) => one.hand_in_id === hand_in_id);
    if (!found) throw new CommandError('The hand-in was removed meanwhile.');
    if (!isWaiting(found.grade)) return found;
    progress.show(found.grade.state === 'running' ? 'grading' : 'waiting to be graded');
    await sleep(LOOK_MS);
  }
}

/** Prints a step per line. */
function printGrade({ grade: { steps, points, of, error, luts, fmax } }: HandIn): void {
  for (const { ok, title, points: got, of: most, message } of steps)
    print(`${ok ? '✓' : '✗'} ${title}: ${got} of ${most}${message === null ? '' : `. ${message}`}`);
  if (error) printNotice(error.message);
  const figures = [luts === null ? [] : `${luts} LUTs`, fmax === null ? [] : `${fmax.toFixed(1)} MHz`].flat();
  printNotice(`${[`${points} of ${of} points`, ...figures].join(', ')}.`);
}

/** `course hand-in COURSE ASSIGNMENT WHICH`: hands a build in, ended or not. */
async function handIn(
  course_id: string,
  word: string,
  which: string,
  options: ServiceOptions & { wait?: boolean },
): Promise<number> {
  const handed = await withService(options, async (client) => {
    const { assignment_id } = await whichAssignment(client, course_id, word);
    const { job_id } = await whichJob(client, which, 'build_and_program');
    const address = { course_id, assignment_id };
    const made = await client.handIn({ ...address, body: { job_id } });
    if (!options.wait) return made;
    const hint = 'It is handed in, and grading goes on: “wishbench course results” shows it.';
    return await interruptible(hint, () => gradeOf(client, address, made.hand_in_id));
  });
  progress.clear();
  if (options.json) printJson(handed);
  else if (options.wait) printGrade(handed);
  else printNotice(`${handed.filename} is handed in, attempt ${handed.attempt}, at ${handed.at}.`);
  const { state, steps } = handed.grade;
  const passed = state === 'graded' && steps.every(({ ok }) => ok);
  return options.wait && !passed ? EXIT.failed : EXIT.done;
}

const RESULTS_GIVE: readonly ShrinkingColumn[] = [
  { column: 7, least: 16 },
  { column: 6, least: WHOLE },
  { column: 5, least: WHOLE },
  { column: 2, least: WHOLE },
  { column: 1, least: 8 },
];

const resultRow = ({ name, username, attempt, grade }: HandIn): string[] => [
  name,
  username,
  `attempt ${attempt}`,
  grade.state,
  `${grade.points} of ${grade.of}`,
  grade.luts === null ? '' : `${grade.luts} LUTs`,
  grade.fmax === null ? '' : `${grade.fmax.toFixed(1)} MHz`,
  grade.error?.message ?? '',
];

/** All hand-ins of an assignment, newest first, however many lists that takes. */
async function everyHandIn(
  client: Client,
  address: { course_id: string; assignment_id: string },
): Promise<HandIn[]> {
  const all: HandIn[] = [];
  for (;;) {
    const before = all.at(-1)?.hand_in_id;
    const list = await client.listHandIns({ ...address, ...(before !== undefined && { before }) });
    if (list.length === 0) return all;
    all.push(...list);
  }
}

interface ResultsOptions extends ServiceOptions {
  csv?: boolean;
  junit?: boolean;
  output: string;
}

/** `course results COURSE ASSIGNMENT`: what counts of each member; with `--json` every hand-in. */
async function results(course_id: string, word: string, options: ResultsOptions): Promise<number> {
  if (options.csv && options.junit) throw new UsageError('Give --csv or --junit, not both.');
  await withService({ ...options, operator: true }, async (client) => {
    const { assignment_id } = await whichAssignment(client, course_id, word);
    if (options.csv || options.junit) {
      const format = options.csv ? 'csv' : 'xml';
      const bytes = await client.exportResults({ course_id, assignment_id, format });
      return await writeOutput(options.output, bytes, options.json);
    }
    if (options.json) return printJson(await everyHandIn(client, { course_id, assignment_id }));
    const counting = await client.listHandIns({ course_id, assignment_id, counting: true });
    const byName = counting.sort((a, b) => a.name.localeCompare(b.name));
    process.stdout.write(table(byName.map(resultRow), RESULTS_GIVE));
  });
  return EXIT.done;
}

/** `course grade COURSE ASSIGNMENT`: grades again. */
async function grade(course_id: string, word: string, options: ServiceOptions): Promise<number> {
  const queued = await withService({ ...options, operator: true }, async (client) => {
    const { assignment_id } = await whichAssignment(client, course_id, word);
    return await client.gradeHandIns({ course_id, assignment_id, body: {} });
  });
  if (options.json) printJson(queued);
  else printNotice(`${plural(queued.queued, 'hand-in waits', 'hand-ins wait')} to be graded.`);
  return EXIT.done;
}
