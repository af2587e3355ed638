import type { Command } from 'commander';
import { send } from '../../contract/client/request.ts';
import type { MemberView } from '../../contract/courses/courses.ts';
import { type WallEntry, wallOf } from '../../contract/courses/wall.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { readInput, writeOutput } from '../shared/files.ts';
import { type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { CommandError, EXIT } from '../usage.ts';

/** Jobs of which the wall takes the newest of each student. */
const MAX_JOBS = 1000;

/** The commands for the members of a course. */
export function declareCourseMembers(line: CommandLine, course: Command): void {
  line.asking(
    'members <COURSE> [FILE]',
    'list members, or add those of a CSV file (teacher)',
    'wishbench course members digital-design list.csv',
    members,
    course,
  );
  line
    .asking(
      'invite <COURSE> [USERNAME...]',
      'print a sign-in link for each member who has none yet, as CSV (teacher)',
      'wishbench course invite digital-design -o links.csv',
      invite,
      course,
    )
    .option('-o, --output <FILE>', 'output file', '-');
  line
    .asking(
      'code <COURSE>',
      'print a code with which students join by themselves (teacher)',
      'wishbench course code digital-design\nwishbench course code digital-design --close',
      code,
      course,
    )
    .option('--close', 'end the code: nobody can join with it');
  line.asking(
    'wall <COURSE>',
    'show what each student does, raised hands first (teacher)',
    'wishbench course wall digital-design',
    wall,
    course,
  );
  line
    .asking(
      'export <COURSE> <USERNAME>',
      'save all that the course stores about a member',
      'wishbench course export digital-design digital-design-07',
      exportMember,
      course,
    )
    .option('-o, --output <FILE>', 'output file; by default USERNAME.zip');
  line
    .asking(
      'remove <COURSE> <USERNAME>',
      'remove a member, or leave a course',
      'wishbench course remove digital-design digital-design-07 --erase',
      remove,
      course,
    )
    .option('--erase', 'also its name, hand-ins and results (teacher)');
}

const MEMBERS_GIVE: readonly ShrinkingColumn[] = [
  { column: 3, least: 8 },
  { column: 1, least: 8 },
];

const memberRow = ({ username, name, role, email, signed_in, invited }: MemberView): string[] => [
  username,
  name,
  role,
  email ?? '',
  signed_in ? 'signed in' : invited ? 'invited' : '',
];

/** @throws CommandError */
function utf8Of(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`${file} is not UTF-8. Save it as “CSV UTF-8”, then try again.`, { cause });
  }
}

/** `course members COURSE [FILE]`. */
async function members(
  course_id: string,
  file: string | undefined,
  options: ServiceOptions,
): Promise<number> {
  const text = file === undefined ? undefined : await readInput(file);
  await withService({ ...options, operator: true }, async (client) => {
    if (text === undefined) {
      const { members: all } = await client.getCourse({ course_id });
      if (options.json) return printJson(all);
      return void process.stdout.write(table(all.map(memberRow), MEMBERS_GIVE));
    }
    const added = await client.addMembers(
      { course_id, body: utf8Of(text, file ?? '') },
      { headers: { 'content-type': 'text/csv' } },
    );
    if (options.json) return printJson(added);
    printNotice(`${added.added.length} added, ${added.present.length} present before.`);
  });
  return EXIT.done;
}

/** `course invite COURSE [USERNAME…]`: the links as CSV. */
async function invite(
  course_id: string,
  usernames: string[],
  options: ServiceOptions & { output: string },
): Promise<number> {
  const body = usernames.length === 0 ? {} : { usernames };
  await withService({ ...options, operator: true }, async (client) => {
    if (options.json) return printJson(await client.inviteMembers({ course_id, body }));
    const answer = await send(client.options, 'inviteMembers', { course_id, format: 'csv', body }, {});
    await writeOutput(options.output, Buffer.from(await answer.arrayBuffer()));
  });
  return EXIT.done;
}

/** `course code COURSE`. */
async function code(course_id: string, options: ServiceOptions & { close?: boolean }): Promise<number> {
  await withService({ ...options, operator: true }, async (client) => {
    if (options.close) return void (await client.closeCourseCode({ course_id }));
    const opened = await client.openCourseCode({ course_id });
    if (options.json) return printJson(opened);
    print(opened.code);
    print(opened.url);
  });
  return EXIT.done;
}

/** What a student does, in a few words. */
function stateText({ state }: WallEntry): string {
  switch (state.kind) {
    case 'stuck':
      return state.why === 'failed' ? `build of ${state.file} failed` : `slow build of ${state.file}`;
    case 'waiting':
      return `waits with ${state.file}${state.place === null ? '' : `, place ${state.place}`}`;
    case 'building':
      return `builds ${state.file} on node ${state.node}`;
    case 'on':
      return `node ${state.node}${state.file === null ? '' : `, ${state.file}`}${state.idleSince === null ? '' : ', idle'}`;
    case 'away':
      return 'away';
  }
}

/** `course wall COURSE`: students with what each does. */
async function wall(course_id: string, options: ServiceOptions): Promise<number> {
  const entries = await withService({ ...options, operator: true }, async (client) => {
    const [{ members: all }, nodes, jobs] = await Promise.all([
      client.getCourse({ course_id }),
      client.listNodes(),
      client.listJobs({ owner: '*', limit: MAX_JOBS }),
    ]);
    const held = nodes.filter(({ session }) => session !== null);
    const views = await Promise.all(held.map(({ fpga_id }) => client.getNodeDetails({ fpga_id })));
    return wallOf(all, views, jobs, Date.now());
  });
  if (options.json) printJson(entries);
  else
    process.stdout.write(
      table(
        entries.map((entry) => [
          entry.member.name,
          entry.member.username,
          stateText(entry),
          entry.member.hand === null ? '' : `hand raised: ${entry.member.hand.message}`,
        ]),
        [
          { column: 3, least: 12 },
          { column: 1, least: WHOLE },
        ],
      ),
    );
  return EXIT.done;
}

/** `course export COURSE USERNAME`. */
async function exportMember(
  course_id: string,
  username: string,
  options: ServiceOptions & { output?: string },
): Promise<number> {
  const bytes = await withService({ ...options, operator: true }, (client) =>
    client.exportMember({ course_id, username }),
  );
  await writeOutput(options.output ?? `${username}.zip`, bytes, options.json);
  return EXIT.done;
}

/** `course remove COURSE USERNAME`. */
async function remove(
  course_id: string,
  username: string,
  options: ServiceOptions & { erase?: boolean },
): Promise<number> {
  await withService({ ...options, operator: true }, (client) =>
    options.erase
      ? client.eraseMember({ course_id, username })
      : client.removeMember({ course_id, username }),
  );
  if (options.json) printJson({ course_id, username, erased: options.erase ?? false });
  else printNotice(`${username} has left ${course_id}${options.erase ? ', and its data is erased' : ''}.`);
  return EXIT.done;
}
