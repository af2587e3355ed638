import type { Command } from 'commander';
import type { Client } from '../../contract/client/client.ts';
import type { AssignmentRequest, AssignmentView, CheckStep } from '../../contract/courses/assignments.ts';
import { plural } from '../../text.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { readInput } from '../shared/files.ts';
import { type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { CommandError, EXIT, numberOf, UsageError } from '../usage.ts';

/** The commands for the assignments of a course. */
export function declareAssignments(line: CommandLine, course: Command): void {
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
    .option('--text <FILE>', 'the task, as Markdown')
    .option('--check <FILE>', 'steps of the check, as JSON')
    .option('--deadline <TIME>', 'last moment to hand in; without an offset in this computer’s time; or none')
    .option('--attempts <N>', 'hand-ins of each member; 0 for any number')
    .option('--template <DESIGN>', 'design to start from: its newest source, register map and panel')
    .option('--draft', 'students do not see it yet')
    .option('--publish', 'students see it');
}

const sameTitle = (title: string, word: string): boolean => title.toLowerCase() === word.toLowerCase();

/** Finds an assignment by its id or its title. @throws CommandError */
export async function whichAssignment(
  client: Client,
  course_id: string,
  word: string,
): Promise<AssignmentView> {
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
