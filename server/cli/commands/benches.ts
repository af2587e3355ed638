import type { BenchNode, BenchView } from '../../contract/benches.ts';
import { sentences } from '../../contract/sentences.ts';
import { printJson, tell } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { type GivingWay, LEAST_TIME, table, WHOLE } from '../table.ts';
import { EXIT } from '../usage.ts';

const row = ({ name, title, state, idle, nodes, version, address, last_seen }: BenchView): string[] => [
  name,
  state,
  nodes === null ? '-' : `${idle ?? 0}/${nodes.length} idle`,
  version ?? '-',
  address,
  title === name ? '' : title,
  state === 'dead' ? `last seen ${last_seen ?? 'never'}` : '',
];

const BENCHES_GIVE: readonly GivingWay[] = [
  { column: 5, least: 8 },
  // “last seen ” and a time.
  { column: 6, least: 10 + LEAST_TIME },
  { column: 3, least: 5 },
  // A part of an address is none.
  { column: 4, least: WHOLE },
];

/** `benches --all`: the bench that is asked and every other one that it knows, a line each. */
export async function knownBenches(options: ServiceOptions): Promise<number> {
  const list = await withService(options, (client) => client.listBenches());
  if (options.json) printJson(list);
  else {
    process.stdout.write(table(list.map(row), BENCHES_GIVE));
    for (const { problem } of list) if (problem !== null) tell(sentences(problem.message, problem.remedy));
  }
  return EXIT.done;
}

const nodeRow = (bench: string, { fpga_id, state, owner, board, present, design }: BenchNode): string[] => [
  bench,
  String(fpga_id),
  state,
  owner ?? '-',
  present ? board : `${board} (away)`,
  design ?? '',
];

const NODES_GIVE: readonly GivingWay[] = [
  { column: 4, least: 8 },
  { column: 5, least: 8, keep: 'end' },
  { column: 3, least: 8 },
];

/** `nodes --all`: the nodes of the bench that is asked and of every other one that it knows. */
export async function allNodes(options: ServiceOptions): Promise<number> {
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
