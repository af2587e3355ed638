import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../contract/client/client.ts';
import type {
  AssignmentRequest,
  AssignmentView,
  CheckStep,
  Grade,
  HandIn,
} from '../../contract/courses/assignments.ts';
import { plural } from '../../text.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson, printNotice, progress } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { readInput, writeOutput } from '../shared/files.ts';
import { interruptible } from '../shared/wait.ts';
import { whichJob } from '../shared/which-job.ts';
import { type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { CommandError, EXIT, numberOf, UsageError } from '../usage.ts';
import { declareCourse } from './course.ts';

/** The commands for courses, with those for their assignments. */
export function declareCourses(line: CommandLine): void {
  const course = declareCourse(line);
  line.asking(
    'assignments <COURSE>',
    'list the assignments of a course, by deadline',
    'wishbench course assignments digital-design',
    assignments,
    course,
  );
  line
    .asking(
      'assign <COURSE> <TITLE>',
      'create an assignment, or change the one of this title (teacher)',
      "wishbench course assign digital-design 'Lab 1' --text lab1.md --check lab1.json --deadline 2027-01-31T18:00+01:00",
      assign,
      course,
    )
    .option('--text <FILE>', 'what is to be done, as Markdown')
    .option('--check <FILE>', 'steps of the check, as JSON')
    .option('--deadline <TIME>', 'last moment to hand in; without an offset in this computer’s time; or none')
    .option('--attempts <N>', 'hand-ins of each member; 0 for any number')
    .option('--template <DESIGN>', 'design to start from: its newest source, register map and panel')
    .option('--draft', 'students do not see it yet')
    .option('--publish', 'students see it');
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

const sameTitle = (title: string, word: string): boolean => title.toLowerCase() === word.toLowerCase();

/** Finds an assignment by its id or its title. */
async function whichAssignment(client: Client, course_id: string, word: string): Promise<AssignmentView> {
  const all = await client.listAssignments({ course_id });
  const found = all.filter((one) => one.assignment_id === word.toLowerCase() || sameTitle(one.title, word));
  const [one] = found;
  if (one && found.length === 1) return one;
  throw new CommandError(
    one
      ? `${found.length} assignments are called “${word}”. Give the id of one; --json lists them.`
      : `The course has no assignment “${word}”. “wishbench course assignments ${course_id}” lists them.`,
  );
}

const ASSIGNMENTS_GIVE: readonly ShrinkingColumn[] = [
  { column: 4, least: WHOLE },
  { column: 3, least: 8 },
  { column: 0, least: 12 },
];

const assignmentRow = ({
  title,
  deadline,
  open,
  published,
  handed_in,
  best,
  of,
}: AssignmentView): string[] => [
  title,
  published ? (open ? 'open' : 'closed') : 'draft',
  deadline === null ? 'no deadline' : `until ${deadline}`,
  `${handed_in} handed in`,
  best === null ? '' : `${best} of ${of} points`,
];

/** `course assignments COURSE`: all that the caller may see. */
async function assignments(course_id: string, options: ServiceOptions): Promise<number> {
  const list = await withService({ ...options, operator: true }, (client) =>
    client.listAssignments({ course_id }),
  );
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(assignmentRow), ASSIGNMENTS_GIVE));
  return EXIT.done;
}

interface AssignOptions extends ServiceOptions {
  text?: string;
  check?: string;
  deadline?: string;
  attempts?: string;
  template?: string;
  draft?: boolean;
  publish?: boolean;
}

/** Reads the steps of a check; the service checks them. */
async function checkIn(file: string): Promise<CheckStep[]> {
  const text = (await readInput(file)).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value as CheckStep[];
  } catch {
    // The error is below.
  }
  throw new CommandError(
    `${file === '-' ? 'Standard input' : file} is not a check, which is a JSON list of steps.`,
  );
}

/** A time as the service takes it; without an offset it is the time of this computer. @throws UsageError */
function deadlineOf(text: string): string | null {
  if (text === 'none') return null;
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new UsageError(`--deadline must be a time such as 2027-01-31T18:00+01:00, or none, not “${text}”.`);
  return at.toISOString();
}

/** The fields that the options name. @throws UsageError */
async function fieldsOf(options: AssignOptions): Promise<Omit<AssignmentRequest, 'title'>> {
  const { text, check, deadline, attempts, template, draft, publish } = options;
  if (draft && publish) throw new UsageError('Give --draft or --publish, not both.');
  return {
    ...(text === undefined ? {} : { text: (await readInput(text)).toString('utf8') }),
    ...(check === undefined ? {} : { check: await checkIn(check) }),
    ...(deadline === undefined ? {} : { deadline: deadlineOf(deadline) }),
    ...(attempts === undefined ? {} : { attempts: numberOf(attempts, '--attempts', 100) || null }),
    ...(template === undefined ? {} : { template: { design_id: template } }),
    ...(draft || publish ? { published: !draft } : {}),
  };
}

/** `course assign COURSE TITLE`: creates an assignment, or changes what the options name. */
async function assign(course_id: string, title: string, options: AssignOptions): Promise<number> {
  const fields = await fieldsOf(options);
  const made = await withService({ ...options, operator: true }, async (client) => {
    const known = (await client.listAssignments({ course_id })).filter((one) => sameTitle(one.title, title));
    if (known.length === 0) return await client.createAssignment({ course_id, body: { title, ...fields } });
    const { assignment_id } = await whichAssignment(client, course_id, title);
    return await client.changeAssignment({ course_id, assignment_id, body: fields });
  });
  if (options.json) printJson(made);
  else printNotice(`“${made.title}” has ${plural(made.check.length, 'step')} with ${made.of} points.`);
  return EXIT.done;
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
