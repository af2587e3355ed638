import { createInterface } from 'node:readline';
import type { CommandLine } from '../command-line.ts';
import { print, printJsonLine, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { transactionLine } from '../shared/transaction-line.ts';
import { EXIT, LAST_WORD, nodeOf, numberOf, UsageError } from '../usage.ts';

/** The command `stream`: transactions from standard input. */
export function declareStream(line: CommandLine): void {
  line.asking(
    'stream <NODE>',
    'run “r ADDRESS [COUNT]” and “w ADDRESS WORD...” lines from standard input',
    "printf 'w 0x10 1 2\\nr 0x10 2\\n' | wishbench stream 3",
    stream,
  );
}

const hex = (word: number): string => `0x${word.toString(16).padStart(8, '0').toUpperCase()}`;

type Transaction =
  | { kind: 'read'; address: number; count: number }
  | { kind: 'write'; address: number; data: number[] };

/** Parses a line: `r ADDRESS [COUNT]` or `w ADDRESS WORD…`. @throws UsageError */
function transactionOf(line: string): Transaction {
  const [op = '', address, ...rest] = line.split(/\s+/);
  const reads = /^r(ead)?$/.test(op) && rest.length <= 1;
  if (address !== undefined && (reads || (/^w(rite)?$/.test(op) && rest.length > 0))) {
    const at = numberOf(address, 'ADDRESS', LAST_WORD);
    return reads
      ? { kind: 'read', address: at, count: numberOf(rest[0] ?? '1', 'COUNT', LAST_WORD) }
      : { kind: 'write', address: at, data: rest.map((word) => numberOf(word, 'WORD', LAST_WORD)) };
  }
  throw new UsageError(`A line must be “r ADDRESS [COUNT]” or “w ADDRESS WORD…”, not “${line}”.`);
}

/** `stream NODE`: runs transactions from standard input, one per line, in order and without jobs. */
async function stream(node: string, options: ServiceOptions): Promise<number> {
  const fpgaId = nodeOf(node);
  return withService(options, async (client, agent) => {
    const line = await transactionLine(client, fpgaId, agent);
    const prompt = process.stdin.isTTY ? () => process.stderr.write('> ') : () => {};
    let code: number = EXIT.done;
    prompt();
    for await (const text of createInterface({ input: process.stdin })) {
      const plain = text.replace(/#.*/, '').trim();
      if (plain !== '')
        try {
          const transaction = transactionOf(plain);
          const { kind, address } = transaction;
          const data = transaction.kind === 'read' ? await line.read(address, transaction.count, false) : [];
          if (transaction.kind === 'write') await line.write(address, transaction.data, false);
          if (options.json) printJsonLine({ op: kind, address, ok: true, data });
          else if (kind === 'read') print(data.map(hex).join(' '));
        } catch (error) {
          // A person continues after a mistake; a script fails at once.
          if (!process.stdin.isTTY || !(error instanceof Error)) throw error;
          printNotice(error.message);
          code = EXIT.failed;
        }
      prompt();
    }
    line.close();
    return code;
  });
}
