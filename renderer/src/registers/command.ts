import { parseAddress, parseWord, parseWords } from '../format/words.ts';

/** What a line in the command field asks for. */
export type RegisterCommand =
  | { op: 2; address: number; count: number }
  | { op: 1; address: number; data: number[] };

export type CommandProblem = 'address' | 'unaligned' | 'value' | 'count' | 'range';

/**
 * Reads a command as a person types it: `0x10` reads a word, `0x10 x8` or `0x10*8` reads eight, `0x10=5` writes,
 * `0x10=1,2,3` writes a burst. `mostWords` is the service's limit.
 */
export function parseCommand(text: string, mostWords: number): RegisterCommand | { problem: CommandProblem } {
  const [left = '', right] = text.split(/=(.*)/s);
  const burst = /^(.*?)(?:\s+x\s*|\s*\*\s*|\s*×\s*)(\S+)\s*$/i.exec(left);
  const parsed = parseAddress(burst?.[1] ?? left);
  if ('problem' in parsed) return { problem: parsed.problem === 'unaligned' ? 'unaligned' : 'address' };
  const { address } = parsed;
  const fits = (words: number) => address + 4 * words <= 2 ** 32;
  if (right !== undefined) {
    if (burst) return { problem: 'value' };
    const data = parseWords(right);
    if (data === null || data.length === 0) return { problem: 'value' };
    if (data.length > mostWords) return { problem: 'count' };
    return fits(data.length) ? { op: 1, address, data } : { problem: 'range' };
  }
  const count = burst ? parseWord(burst[2] ?? '') : 1;
  if (count === null || count < 1 || count > mostWords) return { problem: 'count' };
  return fits(count) ? { op: 2, address, count } : { problem: 'range' };
}
