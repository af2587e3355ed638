import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BenchClient } from '../../../../state/bench-client.ts';
import { useBench } from '../../../../state/context.tsx';
import { readStored, writeStored } from '../../../../state/preferences.ts';
import { mapFromValue } from './map-json.ts';
import { type BitField, inOrder, type Register, type RegisterMap } from './register-map.ts';

/** What this browser keeps for one design. */
interface DesignView {
  /** Name of the map in use; undefined while the design has none. */
  map?: string | undefined;
  /** Addresses that stand on top of the watch, in the order in which they were pinned. */
  pinned: readonly number[];
}

interface MapsState {
  maps: Readonly<Record<string, RegisterMap>>;
  designs: Readonly<Record<string, DesignView>>;
}

const KEY = 'wishbench.register-maps';
const NO_VIEW: DesignView = { pinned: [] };

/** What was stored, without what is damaged: another version of this page may have written it. */
function checked(stored: unknown): MapsState {
  const { maps, designs } = (
    typeof stored === 'object' && stored !== null ? stored : {}
  ) as Partial<MapsState>;
  const good: MapsState['maps'] = Object.fromEntries(
    Object.values(maps ?? {}).flatMap((value) => {
      const read = mapFromValue(toFileShape(value));
      return 'map' in read ? [[read.map.name, read.map]] : [];
    }),
  );
  return {
    maps: good,
    designs: Object.fromEntries(
      Object.entries(designs ?? {}).map(([design, view]) => [
        design,
        {
          map: typeof view?.map === 'string' && view.map in good ? view.map : undefined,
          pinned: Array.isArray(view?.pinned)
            ? view.pinned.filter((one: unknown) => typeof one === 'number')
            : [],
        },
      ]),
    ),
  };
}

/** A stored map has bits as two numbers; the reader of files wants them as text. */
function toFileShape(value: unknown): unknown {
  const map = value as { registers?: Partial<Register>[] } | null;
  if (!Array.isArray(map?.registers)) return value;
  return {
    ...map,
    registers: map.registers.map((register) => ({
      ...register,
      fields: Array.isArray(register?.fields)
        ? register.fields.map((field: Partial<BitField>) => ({
            ...field,
            bits: `${field?.msb}:${field?.lsb}`,
          }))
        : [],
    })),
  };
}

const stores = new WeakMap<BenchClient, StoreApi<MapsState>>();

/** The maps that this browser keeps. */
export function mapsOf(client: BenchClient): StoreApi<MapsState> {
  let store = stores.get(client);
  if (!store) {
    store = createStore<MapsState>(() => checked(readStored(client.memory, KEY)));
    store.subscribe((state) => writeStored(client.memory, KEY, state));
    stores.set(client, store);
  }
  return store;
}

export const useMaps = (): MapsState => useStore(mapsOf(useBench()));

/** What is kept for a design, and its map. */
export function viewOf(
  { maps, designs }: MapsState,
  design: string,
): DesignView & { inUse: RegisterMap | undefined } {
  const view = designs[design] ?? NO_VIEW;
  return { ...view, inUse: view.map === undefined ? undefined : maps[view.map] };
}

/** Keeps a map under its name, and uses it for a design. */
export function keepMap(store: StoreApi<MapsState>, design: string, map: RegisterMap): void {
  store.setState(({ maps, designs }) => ({
    maps: { ...maps, [map.name]: inOrder(map) },
    designs: { ...designs, [design]: { ...(designs[design] ?? NO_VIEW), map: map.name } },
  }));
}

/** Chooses a kept map for a design, or none. */
export function chooseMap(store: StoreApi<MapsState>, design: string, name: string | undefined): void {
  store.setState(({ designs }) => ({
    designs: { ...designs, [design]: { ...(designs[design] ?? NO_VIEW), map: name } },
  }));
}

/** Forgets a map: every design that used it has none. */
export function removeMap(store: StoreApi<MapsState>, name: string): void {
  store.setState(({ maps, designs }) => ({
    maps: Object.fromEntries(Object.entries(maps).filter(([other]) => other !== name)),
    designs: Object.fromEntries(
      Object.entries(designs).map(([design, view]) => [
        design,
        view.map === name ? { ...view, map: undefined } : view,
      ]),
    ),
  }));
}

/** Gives a map another name, for every design that uses it. */
export function renameMap(store: StoreApi<MapsState>, from: string, to: string): void {
  const map = store.getState().maps[from];
  if (!map || from === to) return;
  store.setState(({ maps, designs }) => ({
    maps: {
      ...Object.fromEntries(Object.entries(maps).filter(([other]) => other !== from)),
      [to]: { ...map, name: to },
    },
    designs: Object.fromEntries(
      Object.entries(designs).map(([design, view]) => [
        design,
        view.map === from ? { ...view, map: to } : view,
      ]),
    ),
  }));
}

/** A name that no map has yet: the wanted one, else with a number behind it. */
export function freeName({ maps }: MapsState, wanted: string): string {
  let name = wanted;
  for (let n = 2; name in maps; n += 1) name = `${wanted} ${n}`;
  return name;
}

/** Puts a register into a design's map, in place of what is at `before`; makes a map when there is none. */
export function putRegister(
  store: StoreApi<MapsState>,
  design: string,
  register: Register,
  before: number | undefined = register.address,
): void {
  const state = store.getState();
  const map = viewOf(state, design).inUse ?? { name: freeName(state, design), registers: [] };
  keepMap(store, design, {
    ...map,
    registers: [
      ...map.registers.filter(({ address }) => address !== register.address && address !== before),
      register,
    ],
  });
}

/** Takes a register out of a design's map. */
export function dropRegister(store: StoreApi<MapsState>, design: string, address: number): void {
  const map = viewOf(store.getState(), design).inUse;
  if (map)
    keepMap(store, design, { ...map, registers: map.registers.filter((one) => one.address !== address) });
}

export function togglePin(store: StoreApi<MapsState>, design: string, address: number): void {
  store.setState(({ designs }) => {
    const view = designs[design] ?? NO_VIEW;
    const pinned = view.pinned.includes(address)
      ? view.pinned.filter((one) => one !== address)
      : [...view.pinned, address];
    return { designs: { ...designs, [design]: { ...view, pinned } } };
  });
}
