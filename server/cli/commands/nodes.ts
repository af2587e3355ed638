import type { FpgaSummary } from '../../contract/nodes/nodes.ts';
import type { BenchNode } from '../../contract/remote/benches.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { untilEnded } from '../shared/wait.ts';
import { type ShrinkingColumn, table } from '../table.ts';
import { EXIT, nodeOf } from '../usage.ts';

/** The commands `nodes`, `session`, `release` and `reset`. */
export function declareNodes(line: CommandLine): void {
  line
    .asking(
      'nodes',
      'list the ten nodes, or with --all those of every bench',
      'wishbench nodes\nwishbench nodes --all',
      nodes,
    )
    .option('--all', 'nodes of all known benches');
  line.asking(
    'session <NODE>',
    'print the holder of the node and the expiry',
    'wishbench session 3 --json',
    session,
  );
  line.asking(
    'release <NODE>',
    'end the session and wait until the node is idle',
    'wishbench release 3',
    (node: string, options: ServiceOptions) => giveBack('releaseSession', node, options),
  );
  line.asking(
    'reset <NODE>',
    'reflash the node and wait until it is idle',
    'wishbench reset 3',
    (node: string, options: ServiceOptions) => giveBack('resetNode', node, options),
  );
}

const row = ({ fpga_id, state, session, current_job_id }: FpgaSummary): string[] => [
  String(fpga_id),
  state.padEnd(11),
  (session?.owner ?? '-').padEnd(16),
  session?.expires_at ?? current_job_id ?? '',
];

/** The last column may have the id of a job. */
const GIVING: readonly ShrinkingColumn[] = [{ column: 2, least: 8 }];

/** `nodes`: the ten nodes, one per line. */
async function nodes(options: ServiceOptions & { all?: boolean }): Promise<number> {
  if (options.all) return allNodes(options);
  const list = await withService(options, (client) => client.listNodes());
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), GIVING));
  return EXIT.done;
}

/** `session NODE`: the holder of the node, and the expiry. */
async function session(node: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const seen = await withService(options, (client) => client.getSession({ fpga_id }));
  if (options.json) printJson(seen);
  else print(`${seen.session_id}  ${seen.owner}  until ${seen.expires_at}`);
  return EXIT.done;
}

/** `release NODE` and `reset NODE`: starts the job and waits until the node is idle. */
async function giveBack(
  operation: 'releaseSession' | 'resetNode',
  node: string,
  options: ServiceOptions,
): Promise<number> {
  const fpga_id = nodeOf(node);
  return withService(options, async (client) => {
    const job = await untilEnded(client, await client[operation]({ fpga_id }));
    if (options.json) printJson(job);
    return EXIT.done;
  });
}

const nodeRow = (bench: string, { fpga_id, state, owner, board, present, design }: BenchNode): string[] => [
  bench,
  String(fpga_id),
  state,
  owner ?? '-',
  present ? board : `${board} (away)`,
  design ?? '',
];

const NODES_GIVE: readonly ShrinkingColumn[] = [
  { column: 4, least: 8 },
  { column: 5, least: 8, keep: 'end' },
  { column: 3, least: 8 },
];

/** `nodes --all`: the nodes of the called bench and of every other one that it knows. */
async function allNodes(options: ServiceOptions): Promise<number> {
  const list = await withService(options, (client) => client.listBenches());
  if (options.json) {
    printJson(
      list.flatMap(({ name, address, state, nodes }) =>
        (nodes ?? []).map((node) => ({ bench: name, address, bench_state: state, ...node })),
      ),
    );
    return EXIT.done;
  }
  const rows = list.flatMap(({ name, state, nodes, problem }) =>
    state === 'dead' || nodes === null
      ? [[name, '-', state, problem?.message ?? '']]
      : nodes.map((node) => nodeRow(name, node)),
  );
  process.stdout.write(table(rows, NODES_GIVE));
  return EXIT.done;
}
