import type { Happening } from '../../contract/nodes/happenings.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { EXIT, nodeOf, numberOf, UsageError } from '../usage.ts';

/** Who may hold a node next, and who did before. */
export function declareControl(line: CommandLine): void {
  line
    .asking(
      'ask <NODE> [NOTE]',
      'ask who holds the node for control of it',
      "wishbench ask 3 'five minutes for the demo'",
      ask,
    )
    .option('--take-back', 'take the question back');
  line.asking(
    'handover <NODE> <OWNER>',
    'give the session to somebody else, as it is',
    'wishbench handover 3 grace',
    handOver,
  );
  line
    .asking(
      'happenings <NODE>',
      'whose sessions began and ended, and by whom',
      'wishbench happenings 3',
      happenings,
    )
    .option('--limit <N>', 'most of them', '20');
}

/** `ask NODE [NOTE]`: asks who holds a node for control of it; --take-back takes the question back. */
async function ask(
  node: string,
  note: string | undefined,
  options: ServiceOptions & { takeBack?: boolean },
): Promise<number> {
  const fpga_id = nodeOf(node);
  if (options.takeBack) {
    if (note !== undefined) throw new UsageError('--take-back goes without NOTE.');
    await withService(options, (client) => client.takeQuestionBack({ fpga_id }));
    if (options.json) printJson({ fpga_id, taken_back: true });
    return EXIT.done;
  }
  const body = note === undefined ? {} : { note };
  const question = await withService(options, (client) => client.askForControl({ fpga_id, body }));
  if (options.json) printJson(question);
  else
    printNotice(
      `Who holds node ${fpga_id} is asked. “wishbench watch ${fpga_id}” shows when it is handed over.`,
    );
  return EXIT.done;
}

/** `handover NODE OWNER`: the session goes on, and somebody else holds it. */
async function handOver(node: string, to: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const session = await withService(options, (client) => client.handOverSession({ fpga_id, body: { to } }));
  if (options.json) printJson(session);
  else printNotice(`${session.owner} holds node ${fpga_id} until ${session.expires_at}.`);
  return EXIT.done;
}

const row = ({ at, kind, by, owner, to, design, transactions }: Happening): string[] => [
  at,
  kind,
  `by ${by ?? 'the bench'}`,
  owner === null ? '' : `of ${owner}`,
  to === null ? (design ?? '') : `to ${to}`,
  transactions === 0 ? '' : `${transactions} transactions`,
];

const GIVING: readonly ShrinkingColumn[] = [
  { column: 5, least: WHOLE },
  { column: 4, least: 10 },
  { column: 0, least: MIN_TIME_LENGTH },
  { column: 3, least: 10 },
  { column: 2, least: 10 },
];

/** `happenings NODE`: whose sessions began and ended, and by whom; newest first. */
async function happenings(node: string, options: ServiceOptions & { limit: string }): Promise<number> {
  const fpga_id = nodeOf(node);
  const limit = numberOf(options.limit, '--limit', 50);
  const list = await withService(options, (client) => client.listHappenings({ fpga_id, limit }));
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), GIVING));
  return EXIT.done;
}
