import type { Command } from 'commander';
import { parseBooking } from '../../contract/courses/booking-line.ts';
import type { CourseRequest, CourseView } from '../../contract/courses/courses.ts';
import type { Booking, Shares } from '../../contract/courses/shares.ts';
import { plural } from '../../text.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { table } from '../table.ts';
import { EXIT, numberOf, UsageError } from '../usage.ts';
import { declareAssignments } from './course-assignments.ts';
import { declareHandIns } from './course-hand-ins.ts';
import { declareCourseMembers } from './course-members.ts';

/** The commands for courses, with those for their members, assignments and hand-ins. */
export function declareCourses(line: CommandLine): void {
  const course = line
    .group('course', 'courses, members and assignments', 'wishbench course list')
    .usage('COMMAND [options]');
  const withFields = (command: Command) =>
    command
      .option('--zone <ZONE>', 'time zone, e.g. Europe/Berlin; by default that of the bench’s computer')
      .option('--ends-on <DATE>', 'last day of the term, e.g. 2027-07-31; or none')
      .option('--group <NAME>', 'group of the identity provider whose users become students; or none')
      .option('--sessions <N>', 'nodes of a student at once')
      .option('--session-minutes <N>', 'minutes of a session')
      .option('--day-minutes <N>', 'minutes of a student’s sessions a day')
      .option('--queued <N>', 'waiting jobs of a student')
      .option('--idle-minutes <N>', 'minutes without an access after which a session ends while others wait')
      .option('--priority <N>', 'waiting jobs go before those of lower priority, 0 to 9')
      .option('--book <SLOT...>', 'nodes for the course alone, e.g. “tuesday 14:00-16:00 5”; or none');
  line.asking('list', 'list your courses', 'wishbench course list', list, course);
  withFields(
    line.asking(
      'create <NAME>',
      'create a course (operator)',
      "wishbench course create 'Digital Design' --sessions 1 --session-minutes 45 --idle-minutes 10",
      create,
      course,
    ),
  );
  withFields(
    line.asking(
      'change <COURSE>',
      'change what the options name; 0 removes a limit (teacher)',
      'wishbench course change digital-design --day-minutes 120',
      change,
      course,
    ),
  );
  declareCourseMembers(line, course);
  declareAssignments(line, course);
  declareHandIns(line, course);
}

/** `course list`: courses of the caller. */
async function list(options: ServiceOptions): Promise<number> {
  const courses = await withService({ ...options, operator: true }, (client) => client.listCourses());
  if (options.json) printJson(courses);
  else
    process.stdout.write(
      table(
        courses.map(({ course_id, name, role, members, closed }) => [
          course_id,
          name,
          role ?? 'operator',
          plural(members, 'member'),
          closed ? 'closed' : '',
        ]),
        [{ column: 1, least: 8 }],
      ),
    );
  return EXIT.done;
}

interface FieldOptions extends ServiceOptions {
  zone?: string;
  endsOn?: string;
  group?: string;
  sessions?: string;
  sessionMinutes?: string;
  dayMinutes?: string;
  queued?: string;
  idleMinutes?: string;
  priority?: string;
  book?: string[];
}

/** `tuesday 14:00-16:00 5`. @throws UsageError */
function bookingOf(text: string): Booking {
  const booking = parseBooking(text);
  if (!booking)
    throw new UsageError(`--book must be a slot such as “tuesday 14:00-16:00 5”, or none, not “${text}”.`);
  return booking;
}

/** The largest limit of a share; the service knows those of each. */
const MAX_SHARE = 1440;

/** The limits that the options name; 0 is no limit. @throws UsageError */
function sharesOf(options: FieldOptions): Shares {
  const limits = {
    sessions: ['--sessions', options.sessions],
    session_minutes: ['--session-minutes', options.sessionMinutes],
    day_minutes: ['--day-minutes', options.dayMinutes],
    queued_jobs: ['--queued', options.queued],
    idle_minutes: ['--idle-minutes', options.idleMinutes],
  } as const;
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, [option, text]]) =>
      text === undefined ? [] : [[name, numberOf(text, option, MAX_SHARE) || null]],
    ),
  );
}

/** The fields that the options name. @param shares in force @throws UsageError */
function fieldsOf(options: FieldOptions, shares: Shares): Omit<CourseRequest, 'name'> {
  const { zone, endsOn, group, priority, book } = options;
  const orNone = (text: string) => (text === 'none' ? null : text);
  const named = sharesOf(options);
  return {
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(endsOn === undefined ? {} : { ends_on: orNone(endsOn) }),
    ...(group === undefined ? {} : { group: orNone(group) }),
    ...(priority === undefined ? {} : { priority: numberOf(priority, '--priority', 9) }),
    ...(book === undefined ? {} : { bookings: book[0] === 'none' ? [] : book.map(bookingOf) }),
    ...(Object.keys(named).length === 0 ? {} : { shares: { ...shares, ...named } }),
  };
}

function printCourse(course: CourseView, json: boolean | undefined): void {
  if (json) printJson(course);
  else printNotice(`${course.course_id}: ${course.name}, ${plural(course.members.length, 'member')}.`);
}

/** `course create NAME`. */
async function create(name: string, options: FieldOptions): Promise<number> {
  const body = { name, ...fieldsOf(options, {}) };
  printCourse(
    await withService({ ...options, operator: true }, (client) => client.createCourse({ body })),
    options.json,
  );
  return EXIT.done;
}

/** `course change COURSE`. */
async function change(course_id: string, options: FieldOptions): Promise<number> {
  const changed = await withService({ ...options, operator: true }, async (client) => {
    const { shares } = await client.getCourse({ course_id });
    return await client.changeCourse({ course_id, body: fieldsOf(options, shares) });
  });
  printCourse(changed, options.json);
  return EXIT.done;
}
