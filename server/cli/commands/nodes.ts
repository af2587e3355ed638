import type { FpgaSummary } from '../../contract/nodes.ts';
import { print, printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { type GivingWay, table } from '../table.ts';
import { EXIT, nodeOf } from '../usage.ts';
import { untilEnded } from './wait.ts';

const row = ({ fpga_id, state, session, current_job_id }: FpgaSummary): string[] => [
  String(fpga_id),
  state.padEnd(11),
  (session?.owner ?? '-').padEnd(16),
  session?.expires_at ?? current_job_id ?? '',
];

/** The last column may be the id of a job. */
const GIVING: readonly GivingWay[] = [{ column: 2, least: 8 }];

/** `nodes`: the ten nodes, a line each. */
export async function nodes(options: ServiceOptions): Promise<number> {
  const list = await withService(options, (client) => client.listNodes());
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), GIVING));
  return EXIT.done;
}

/** `session NODE`: who holds the node, and until when. */
export async function session(node: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const seen = await withService(options, (client) => client.getSession({ fpga_id }));
  if (options.json) printJson(seen);
  else print(`${seen.session_id}  ${seen.owner}  until ${seen.expires_at}`);
  return EXIT.done;
}

/** `release NODE` and `reset NODE`: asks for it and waits until the node is idle. */
export async function giveBack(
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
