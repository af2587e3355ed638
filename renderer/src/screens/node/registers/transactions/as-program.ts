// A transaction as a command or program that repeats it from outside.
import type { RunRequest } from '../../../../../../server/contract/jobs/runs.ts';
import { hexWord } from '../../../../format/words.ts';

/** Where a program calls, and as whom. */
export interface Caller {
  /** Address of the bench, without a slash at its end. */
  url: string;
  node: number;
  /** Name of the caller; undefined if the bench wants a key, which the program takes from WISHBENCH_KEY. */
  name: string | undefined;
}

const hex = (word: number): string => hexWord(word).replace('_', '');
/** A byte address as people write it. */
const place = (address: number): string => `0x${(address >>> 0).toString(16).toUpperCase().padStart(2, '0')}`;

/** Any text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A transaction as a command for bash with curl, in one line. */
export function asCurl({ url, node, name }: Caller, request: RunRequest): string {
  const { op, address, data, count, fixed_address } = request;
  const body = { op, address, ...(op === 1 ? { data } : { count }), ...(fixed_address && { fixed_address }) };
  const key = name === undefined ? ' -H "X-API-Key: $WISHBENCH_KEY"' : '';
  const owner = name === undefined || name === 'anonymous' ? '' : ` -H ${quoted(`X-API-Key: ${name}`)}`;
  return (
    `curl -sS -H 'Content-Type: application/json'${key}${owner} ` +
    `-d ${quoted(JSON.stringify(body))} ${quoted(`${url}/fpga/${node}/run?wait=5`)}`
  );
}

/** A transaction as a Python program with the client of the bench. */
export function asPython({ url, node, name }: Caller, request: RunRequest): string {
  const { op, address, data = [], count = 1, fixed_address } = request;
  const key = name === undefined ? '' : `, key=${JSON.stringify(name)}`;
  const fixed = fixed_address ? ', fixed=True' : '';
  const words = data.map(hex).join(', ');
  const call =
    op === 1
      ? `node.write(${place(address)}, ${data.length === 1 ? words : `[${words}]`}${fixed})`
      : `print(node.read(${place(address)}${count === 1 && !fixed_address ? '' : `, ${count}`}${fixed}))`;
  return `import wishbench

node = wishbench.Bench(${JSON.stringify(url)}${key}).node(${node})
${call}
`;
}
