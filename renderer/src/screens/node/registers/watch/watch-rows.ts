import type { KnownValue } from '../../../../state/samples.ts';
import type { BitField, Register, RegisterMap } from '../map/register-map.ts';

/** A line of the watch: a register, or one of its fields when it is opened. */
export type WatchRow =
  | {
      kind: 'register';
      address: number;
      register: Register | undefined;
      known: KnownValue | undefined;
      pinned: boolean;
      open: boolean;
    }
  | { kind: 'field'; address: number; register: Register; field: BitField; known: KnownValue | undefined };

/** Pinned registers first, then those of the map and those that were read, by address. */
export function watchRows(
  map: RegisterMap | undefined,
  known: ReadonlyMap<number, KnownValue>,
  pinned: readonly number[],
  opened: ReadonlySet<number>,
): WatchRow[] {
  const named = new Map((map?.registers ?? []).map((register) => [register.address, register]));
  const rest = [...new Set([...named.keys(), ...known.keys()])]
    .filter((address) => !pinned.includes(address))
    .sort((a, b) => a - b);
  return [...pinned, ...rest].flatMap((address): WatchRow[] => {
    const register = named.get(address);
    const open = register !== undefined && register.fields.length > 0 && opened.has(address);
    const row: WatchRow = {
      kind: 'register',
      address,
      register,
      known: known.get(address),
      pinned: pinned.includes(address),
      open,
    };
    return open
      ? [
          row,
          ...register.fields.map((field) => ({
            kind: 'field' as const,
            address,
            register,
            field,
            known: known.get(address),
          })),
        ]
      : [row];
  });
}
