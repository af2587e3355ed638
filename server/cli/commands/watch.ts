import { openViewer } from '../../contract/client/stream.ts';
import type { Transaction, ViewerMessage } from '../../contract/stream/stream.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJsonLine } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { webSocket } from '../shared/transaction-line.ts';
import { hex } from '../shared/word-format.ts';
import { EXIT, nodeOf } from '../usage.ts';

/** The command `watch`: views a node. */
export function declareWatch(line: CommandLine): void {
  line.asking('watch <NODE>', 'print what all callers do with a node, live', 'wishbench watch 3', watchNode);
}

function line({ at, owner, op, address, count, ok, error, data, via }: Transaction): string {
  const words = data.map((word) => `0x${hex(word)}`).join(' ');
  const what = ok ? `${words}${count > data.length ? ` … ${count} words` : ''}` : (error ?? 'not done');
  return `${at}  ${owner}  ${via}  ${op} 0x${hex(address)}  ${what}`.trimEnd();
}

function show(message: Exclude<ViewerMessage, { type: 'end' }>, json = false): void {
  if (message.type === 'session') {
    const { state, owner, design } = message;
    if (json) printJsonLine(message);
    else
      print(
        `-- ${state}${owner === null ? '' : `, held by ${owner}`}${design === null ? '' : `: ${design}`}`,
      );
    return;
  }
  if (message.skipped && !json) print(`-- ${message.skipped} more not shown`);
  for (const transaction of message.transactions)
    if (json) printJsonLine({ type: 'transaction', ...transaction });
    else print(line(transaction));
}

/** `watch NODE`: prints the transactions of all callers, live, until Ctrl-C. It never accesses the board. */
async function watchNode(node: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  return withService(options, async (client, agent) => {
    const WebSocket = await webSocket(agent);
    const viewer = await openViewer(client.options, fpga_id, (message) => show(message, options.json), {
      WebSocket,
    });
    let interrupted = false;
    process.once('SIGINT', () => {
      interrupted = true;
      viewer.close();
    });
    const reason = await viewer.closed;
    if (reason && !interrupted) throw reason;
    return EXIT.interrupted;
  });
}
