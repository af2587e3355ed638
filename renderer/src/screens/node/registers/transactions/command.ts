import { parseAddress, parseWord, parseWords } from '../../../../format/words.ts';
import { type BitField, findByName, type Register, type RegisterMap } from '../map/register-map.ts';
import { parseFieldValue } from '../map/values.ts';

/** A parsed command. */
export type RegisterCommand =
  | { op: 2; address: number; count: number; fixed_address?: boolean }
  | { op: 1; address: number; data: number[]; fixed_address?: boolean }
  /** A field: reads the register, replaces the field's bits, writes the register. */
  | { op: 'field'; register: Register; field: BitField; value: number };

type CommandProblem =
  | 'address'
  | 'unaligned'
  | 'value'
  | 'count'
  | 'range'
  | 'field'
  | 'readOnly'
  | 'writeOnly';

const BURST = /^(.*?)(?:\s+x\s*|\s*\*\s*|\s*×\s*)(\S+)\s*$/i;
const FIXED = /\s+fixed\s*$/i;

/** The place of a command: an address, or a name of the map. */
function placeOf(
  text: string,
  map: RegisterMap | undefined,
): ({ address: number; named?: ReturnType<typeof findByName> } & object) | { problem: CommandProblem } {
  const named = findByName(map, text);
  if (named) return { address: named.register.address, named };
  const parsed = parseAddress(text);
  if ('problem' in parsed) return { problem: parsed.problem === 'unaligned' ? 'unaligned' : 'address' };
  return { address: parsed.address };
}

/**
 * Parses a command: `0x10` reads a word, `0x10 x8` or `0x10*8` reads eight, `0x10=5` writes, `0x10=1,2,3` writes a
 * burst; `fixed` at the end keeps a burst on its address. Names of `map` work for registers, fields and values: `CTRL`,
 * `CTRL=5`, `CTRL.EN=1`, `CTRL.EN=run`. `maxWords` is the service's limit.
 */
export function parseCommand(
  text: string,
  maxWords: number,
  map?: RegisterMap,
): RegisterCommand | { problem: CommandProblem } {
  const plain = text.replace(FIXED, '');
  const fixed = plain !== text ? { fixed_address: true } : {};
  const [left = '', right] = plain.split(/=(.*)/s);
  const burst = BURST.exec(left);
  const place = placeOf(burst?.[1] ?? left, map);
  if ('problem' in place) return place;
  const { address, named } = place;
  const fits = (words: number) => address + (plain !== text ? 4 : 4 * words) <= 2 ** 32;
  if (right !== undefined) {
    if (burst) return { problem: 'value' };
    if ((named?.field?.access ?? named?.register.access) === 'ro') return { problem: 'readOnly' };
    if (named?.field) {
      const value = parseFieldValue(right, named.field);
      if (value === null) return { problem: 'field' };
      return { op: 'field', register: named.register, field: named.field, value };
    }
    const data = parseWords(right);
    if (data === null || data.length === 0) return { problem: 'value' };
    if (data.length > maxWords) return { problem: 'count' };
    return fits(data.length) ? { op: 1, address, data, ...fixed } : { problem: 'range' };
  }
  if (named?.register.access === 'wo') return { problem: 'writeOnly' };
  const count = burst ? parseWord(burst[2] ?? '') : 1;
  if (count === null || count < 1 || count > maxWords) return { problem: 'count' };
  return fits(count) ? { op: 2, address, count, ...fixed } : { problem: 'range' };
}
