import type { LastValue } from '../../../../state/samples/samples.ts';
import { type BitField, findByAddress, type Register, type RegisterMap } from '../map/register-map.ts';

/** Bits per line. */
const BITS_OF_LINE = 16;

/** A line of the watch: a register, or the bits and fields of an open one. */
export type WatchRow =
  | {
      kind: 'register';
      address: number;
      register: Register | undefined;
      known: LastValue | undefined;
      pinned: boolean;
      open: boolean;
    }
  | {
      kind: 'bits';
      address: number;
      register: Register | undefined;
      /** Highest and lowest bit of the line. */
      msb: number;
      lsb: number;
      known: LastValue | undefined;
    }
  | { kind: 'field'; address: number; register: Register; field: BitField; known: LastValue | undefined };

/** The bits of a word in lines of sixteen, highest first. */
const bitLines = (width: number): { msb: number; lsb: number }[] =>
  Array.from({ length: Math.ceil(width / BITS_OF_LINE) }, (_, line) => ({
    msb: Math.min(width, (line + 1) * BITS_OF_LINE) - 1,
    lsb: line * BITS_OF_LINE,
  })).reverse();

/** Pinned registers first, then the others by address. */
export function watchRows(
  map: RegisterMap | undefined,
  known: ReadonlyMap<number, LastValue>,
  pinned: readonly number[],
  opened: ReadonlySet<number>,
): WatchRow[] {
  const named = new Map((map?.registers ?? []).map((register) => [register.address, register]));
  const rest = [...new Set([...named.keys(), ...known.keys()])]
    .filter((address) => !pinned.includes(address))
    .sort((a, b) => a - b);
  return [...pinned, ...rest].flatMap((address): WatchRow[] => {
    const register = named.get(address) ?? findByAddress(map, address);
    const open = opened.has(address);
    const value = known.get(address);
    const row: WatchRow = {
      kind: 'register',
      address,
      register,
      known: value,
      pinned: pinned.includes(address),
      open,
    };
    if (!open) return [row];
    const bits = bitLines(register?.width ?? 32).map(
      (line): WatchRow => ({ kind: 'bits', address, register, ...line, known: value }),
    );
    const fields = register
      ? register.fields.map((field): WatchRow => ({ kind: 'field', address, register, field, known: value }))
      : [];
    return [row, ...bits, ...fields];
  });
}
