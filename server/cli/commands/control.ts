import type { ActivityEntry } from '../../contract/nodes/activity.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { EXIT, nodeOf, numberOf, UsageError } from '../usage.ts';

/** The commands `request`, `decline`, `extend`, `handover` and `activity`: the control of a node. */
export function declareControl(line: CommandLine): void {
  line
    .asking(
      'request <NODE> [NOTE]',
      'request control of a node from its holder',
      "wishbench request 3 'five minutes for the demo'",
      request,
    )
    .option('--withdraw', 'withdraw the request');
  line.asking('decline <NODE> <OWNER>', 'decline a control request', 'wishbench decline 3 grace', decline);
  line.asking('extend <NODE>', 'extend the session by a whole lifetime', 'wishbench extend 3', extend);
  line.asking(
    'handover <NODE> <OWNER>',
    'hand the session over to another owner',
    'wishbench handover 3 grace',
    handOver,
  );
  line
    .asking('activity <NODE>', 'who took, released or handed over the node', 'wishbench activity 3', activity)
    .option('--limit <N>', 'maximum number', '20');
}

/** `request NODE [NOTE]`: requests control from the holder; --withdraw withdraws the request. */
async function request(
  node: string,
  note: string | undefined,
  options: ServiceOptions & { withdraw?: boolean },
): Promise<number> {
  const fpga_id = nodeOf(node);
  if (options.withdraw) {
    if (note !== undefined) throw new UsageError('Give NOTE or --withdraw, not both.');
    await withService(options, (client) => client.withdrawControlRequest({ fpga_id }));
    if (options.json) printJson({ fpga_id, withdrawn: true });
    return EXIT.done;
  }
  const body = note === undefined ? {} : { note };
  const requested = await withService(options, (client) => client.requestControl({ fpga_id, body }));
  if (options.json) printJson(requested);
  else
    printNotice(
      `The holder of node ${fpga_id} sees your request. “wishbench watch ${fpga_id}” shows the hand-over.`,
    );
  return EXIT.done;
}

/** `decline NODE OWNER`: declines a control request. */
async function decline(node: string, owner: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  await withService(options, (client) => client.declineControlRequest({ fpga_id, body: { owner } }));
  if (options.json) printJson({ fpga_id, owner, declined: true });
  else printNotice(`${owner} sees that you declined.`);
  return EXIT.done;
}

/** `extend NODE`: extends the session by a whole lifetime. */
async function extend(node: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const session = await withService(options, (client) => client.extendSession({ fpga_id }));
  if (options.json) printJson(session);
  else printNotice(`${session.owner} holds node ${fpga_id} until ${session.expires_at}.`);
  return EXIT.done;
}

/** `handover NODE OWNER`: hands the session over to another holder. */
async function handOver(node: string, to: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const session = await withService(options, (client) => client.handOverSession({ fpga_id, body: { to } }));
  if (options.json) printJson(session);
  else printNotice(`${session.owner} holds node ${fpga_id} until ${session.expires_at}.`);
  return EXIT.done;
}

const row = ({ at, kind, by, owner, to, design, transactions }: ActivityEntry): string[] => [
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

/** `activity NODE`: the activity on a node, newest first. */
async function activity(node: string, options: ServiceOptions & { limit: string }): Promise<number> {
  const fpga_id = nodeOf(node);
  const limit = numberOf(options.limit, '--limit', 50);
  const list = await withService(options, (client) => client.listActivity({ fpga_id, limit }));
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), GIVING));
  return EXIT.done;
}
