import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { ServiceError } from '../../../../../../server/contract/client/failures.ts';
import type { RegisterMap as WireMap } from '../../../../../../server/contract/designs/register-map.ts';
import type { FieldProblem } from '../../../../../../server/contract/failures.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { inTurn } from '../../../../state/client/in-turn.ts';
import { readStored, writeStored } from '../../../../state/page/preferences.ts';
import { pinnedChanged } from '../../../../state/registers/pinned.ts';
import { inOrder, isRegisterMap, mapToJson, type Register, type RegisterMap } from './register-map.ts';

/** The design of the shown registers. */
export interface MappedDesign {
  /** Its module: the key in this browser's storage. */
  name: string;
  /** Its id at the bench, which stores its map; undefined if the bench does not know the design. */
  id: string | undefined;
}

/** What this browser stores for a design. */
interface DesignView {
  /** Name of the map in use if the bench stores none; undefined without a map. */
  map?: string | undefined;
  /** Addresses on top of the watch, in the order of pinning. */
  pinned: readonly number[];
  /** Last known name of the first one. */
  pinnedName?: string | undefined;
}

interface StoredMaps {
  /** Maps to choose for any design. */
  maps: Readonly<Record<string, RegisterMap>>;
  designs: Readonly<Record<string, DesignView>>;
}

interface MapsState extends StoredMaps {
  /** Design id → the map at the bench; null if there is none. */
  kept: Readonly<Record<string, RegisterMap | null>>;
}

const KEY = 'wishbench.register-maps';
const NO_VIEW: DesignView = { pinned: [] };

/** Valid parts of the stored state: another version of this page may have written it. */
function checked(stored: unknown): MapsState {
  const { maps, designs } = (
    typeof stored === 'object' && stored !== null ? stored : {}
  ) as Partial<StoredMaps>;
  const good: StoredMaps['maps'] = Object.fromEntries(
    Object.values(maps ?? {})
      .filter(isRegisterMap)
      .map((map) => [map.name, inOrder(map)]),
  );
  return {
    kept: {},
    maps: good,
    designs: Object.fromEntries(
      Object.entries(designs ?? {}).map(([design, view]) => [
        design,
        {
          map: typeof view?.map === 'string' && view.map in good ? view.map : undefined,
          pinned: Array.isArray(view?.pinned)
            ? view.pinned.filter((one: unknown) => typeof one === 'number')
            : [],
          pinnedName: typeof view?.pinnedName === 'string' ? view.pinnedName : undefined,
        },
      ]),
    ),
  };
}

const stores = new WeakMap<BenchClient, StoreApi<MapsState>>();

/** The maps of this browser, and the known ones of the bench. */
export function mapsOf(client: BenchClient): StoreApi<MapsState> {
  let store = stores.get(client);
  if (!store) {
    store = createStore<MapsState>(() => checked(readStored(client.memory, KEY)));
    store.subscribe(({ maps, designs }) => {
      writeStored(client.memory, KEY, { maps, designs });
      pinnedChanged();
    });
    stores.set(client, store);
  }
  return store;
}

export const useMaps = (): MapsState => useStore(mapsOf(useBench()));

/** The stored view of a design, and its map. */
export function viewOf(
  { maps, designs, kept }: MapsState,
  { name, id }: MappedDesign,
): DesignView & { inUse: RegisterMap | undefined } {
  const view = designs[name] ?? NO_VIEW;
  const atBench = id === undefined ? undefined : kept[id];
  if (atBench !== undefined) return { ...view, inUse: atBench ?? undefined };
  return { ...view, inUse: view.map === undefined ? undefined : maps[view.map] };
}

function changeView(client: BenchClient, { name }: MappedDesign, change: Partial<DesignView>): void {
  mapsOf(client).setState(({ designs }) => ({
    designs: { ...designs, [name]: { ...(designs[name] ?? NO_VIEW), ...change } },
  }));
}

const toWire = ({ dismissed, registers, ...map }: RegisterMap): WireMap => ({
  ...map,
  ...(dismissed && { dismissed: [...dismissed] }),
  registers: registers.map(({ fields, ...register }) => ({
    ...register,
    fields: fields.map(({ values, ...field }) => ({ ...field, ...(values && { values: { ...values } }) })),
  })),
});

/**
 * The map of a design at the bench, or null. It is requested only if there is one: browsers print every 404 on their
 * console.
 */
async function mapAtBench(
  { service }: BenchClient,
  design_id: string,
  signal: AbortSignal | undefined,
): Promise<RegisterMap | null> {
  const options = signal && { signal };
  const { documents } = await service.getDesign({ design_id }, options);
  if (!documents.includes('map')) return null;
  try {
    return await service.getDesignMap({ design_id }, options);
  } catch (error) {
    // Another caller deleted it meanwhile.
    if (error instanceof ServiceError && error.code === 'no_register_map') return null;
    throw error;
  }
}

/**
 * Loads the map of a design from the bench. From then on it is in use, and changes go to the bench. A map of this
 * browser for a design without one goes to the bench once.
 * @param owned the design is the person's own: other designs get no map unasked
 */
async function load(
  client: BenchClient,
  design: MappedDesign & { id: string },
  owned: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const store = mapsOf(client);
  let map: RegisterMap | null = await mapAtBench(client, design.id, signal);
  if (map === null) {
    const { maps, designs } = store.getState();
    const own = maps[designs[design.name]?.map ?? ''];
    if (own && !owned) return;
    if (own) map = await client.service.putDesignMap({ design_id: design.id, body: toWire(own) });
  }
  store.setState(({ kept }) => ({ kept: { ...kept, [design.id]: map && inOrder(map) } }));
  changeView(client, design, { map: undefined });
}

/** One after the other: each begins with what the one before has made of the map. */
const onMap = <T>(client: BenchClient, { name, id }: MappedDesign, act: () => Promise<T>): Promise<T> =>
  inTurn(client, `register map ${id ?? name}`, act);

/** Loads the map of a design from the bench, after changes under way; see `load`. */
export const adoptMap = (
  client: BenchClient,
  design: MappedDesign & { id: string },
  owned: boolean,
  signal?: AbortSignal,
): Promise<void> => onMap(client, design, () => load(client, design, owned, signal));

/** Changes a map once it is loaded: a change from before that would be one of another map. */
const onLoadedMap = <T>(client: BenchClient, design: MappedDesign, act: () => Promise<T>): Promise<T> =>
  onMap(client, design, async () => {
    const { id } = design;
    if (id !== undefined && mapsOf(client).getState().kept[id] === undefined)
      await load(client, { ...design, id }, false);
    return await act();
  });

/** Uses a map for a design, or none. Only within `onLoadedMap`. */
async function put(client: BenchClient, design: MappedDesign, map: RegisterMap | undefined): Promise<void> {
  const store = mapsOf(client);
  const ordered = map && inOrder(map);
  const { id } = design;
  if (id === undefined || store.getState().kept[id] === undefined) {
    if (ordered) store.setState(({ maps }) => ({ maps: { ...maps, [ordered.name]: ordered } }));
    changeView(client, design, { map: ordered?.name });
    return;
  }
  if (ordered) await client.service.putDesignMap({ design_id: id, body: toWire(ordered) });
  else await client.service.deleteDesignMap({ design_id: id });
  store.setState(({ kept }) => ({ kept: { ...kept, [id]: ordered ?? null } }));
}

/**
 * Changes the map of a design. Shows a refusal and returns false.
 * @param change makes the new map of the one in use; undefined is none, and the same one is no change
 */
async function changeMap(
  client: BenchClient,
  design: MappedDesign,
  change: (inUse: RegisterMap | undefined) => RegisterMap | undefined,
): Promise<boolean> {
  try {
    await onLoadedMap(client, design, async () => {
      const { inUse } = viewOf(mapsOf(client).getState(), design);
      const next = change(inUse);
      if (next !== inUse) await put(client, design, next);
    });
    return true;
  } catch (error) {
    showRefusal(client, error);
    return false;
  }
}

/**
 * Stores the map that was in use in this browser, to choose it again.
 * @param next the new map: two maps of one name would look the same
 */
function setAside(client: BenchClient, map: RegisterMap | undefined, next?: RegisterMap): void {
  const store = mapsOf(client);
  const state = store.getState();
  const others = Object.values(state.maps).filter(({ name }) => name !== next?.name);
  if (!map || others.some((one) => haveTheSame(one, map))) return;
  const name = freeName({ ...state, kept: next ? { next } : {} }, map.name);
  store.setState(({ maps }) => ({ maps: { ...maps, [name]: { ...map, name } } }));
}

/** Uses another map for a design, or none. The old one can be chosen again. */
export function exchangeMap(
  client: BenchClient,
  design: MappedDesign,
  map: RegisterMap | undefined,
): Promise<boolean> {
  return changeMap(client, design, (inUse) => {
    setAside(client, inUse);
    return map;
  });
}

/** Whether two maps have the same contents, whatever their names. */
const haveTheSame = (a: RegisterMap, b: RegisterMap): boolean =>
  mapToJson({ ...a, name: '' }) === mapToJson({ ...b, name: '' });

/** Deletes the map of a design, for every design of this browser with the same map. */
export async function removeMap(client: BenchClient, design: MappedDesign): Promise<void> {
  let removed: RegisterMap | undefined;
  const isDone = await changeMap(client, design, (inUse) => {
    removed = inUse;
    return undefined;
  });
  if (!isDone || !removed) return;
  const { name } = removed;
  mapsOf(client).setState(({ maps, designs }) => ({
    maps: Object.fromEntries(Object.entries(maps).filter(([other]) => other !== name)),
    designs: Object.fromEntries(
      Object.entries(designs).map(([one, view]) => [
        one,
        view.map === name ? { ...view, map: undefined } : view,
      ]),
    ),
  }));
}

/** Renames the map of a design, for every design of this browser with the same map. */
export async function renameMap(client: BenchClient, design: MappedDesign, to: string): Promise<void> {
  let from: string | undefined;
  const isDone = await changeMap(client, design, (inUse) => {
    from = inUse?.name;
    return inUse && { ...inUse, name: to };
  });
  if (!isDone || from === undefined || from === to) return;
  const { [from]: old, ...others } = mapsOf(client).getState().maps;
  mapsOf(client).setState(({ maps, designs }) => ({
    maps: old ? { ...others, [to]: { ...old, name: to } } : maps,
    designs: Object.fromEntries(
      Object.entries(designs).map(([one, view]) => [one, view.map === from ? { ...view, map: to } : view]),
    ),
  }));
}

/** A free name: the wanted one, or with a number after it. */
function freeName({ maps, kept }: MapsState, wanted: string): string {
  const taken = new Set([...Object.keys(maps), ...Object.values(kept).map((map) => map?.name)]);
  let name = wanted;
  for (let n = 2; taken.has(name); n += 1) name = `${wanted} ${n}`;
  return name;
}

/** Changes the map of a design, or a new empty one. Shows a refusal and returns false. */
const changeOrBeginMap = (
  client: BenchClient,
  design: MappedDesign,
  change: (map: RegisterMap) => RegisterMap,
): Promise<boolean> =>
  changeMap(client, design, (inUse) =>
    change(inUse ?? { name: freeName(mapsOf(client).getState(), design.name), registers: [] }),
  );

/** Puts a register into a design's map, in place of the one at `before`; creates a map if needed. */
export const putRegister = (
  client: BenchClient,
  design: MappedDesign,
  register: Register,
  before: number | undefined = register.address,
): Promise<boolean> =>
  changeOrBeginMap(client, design, (map) => ({
    ...map,
    registers: [
      ...map.registers.filter(({ address }) => address !== register.address && address !== before),
      register,
    ],
  }));

/** Adds registers of the inferred map to a design's map. */
export function acceptInferred(
  client: BenchClient,
  design: MappedDesign,
  proposed: readonly Register[],
): Promise<boolean> {
  const accepted = proposed.map(({ proposed: _proposed, ...register }) => register);
  return changeOrBeginMap(client, design, (map) => ({
    ...map,
    registers: [...map.registers, ...accepted],
  }));
}

/** Dismisses registers of the inferred map for good. */
export function dismissInferred(
  client: BenchClient,
  design: MappedDesign,
  proposed: readonly Register[],
): Promise<boolean> {
  const addresses = proposed.map(({ address }) => address);
  return changeOrBeginMap(client, design, (map) => ({
    ...map,
    dismissed: [...(map.dismissed ?? []), ...addresses],
  }));
}

/** Takes back a dismissal: the registers are proposed again. */
export function proposeAgain(
  client: BenchClient,
  design: MappedDesign,
  registers: readonly Register[],
): Promise<boolean> {
  const back = new Set(registers.map(({ address }) => address));
  return changeOrBeginMap(client, design, (map) => ({
    ...map,
    dismissed: map.dismissed?.filter((one) => !back.has(one)) ?? [],
  }));
}

/**
 * Imports a file of any format of the bench and uses its map; the old one can be chosen again. The warnings name what
 * the map lacks. @throws ServiceError
 */
export const importAtBench = (
  client: BenchClient,
  design: MappedDesign & { id: string },
  contents: string,
): Promise<{ map: RegisterMap; warnings: readonly FieldProblem[] }> =>
  onLoadedMap(client, design, async () => {
    const { warnings = [], ...taken } = await client.service.putDesignMap({
      design_id: design.id,
      body: contents,
    });
    const map = inOrder(taken);
    setAside(client, viewOf(mapsOf(client).getState(), design).inUse, map);
    mapsOf(client).setState(({ kept }) => ({ kept: { ...kept, [design.id]: map } }));
    return { map, warnings };
  });

/** Removes a register from a design's map. */
export const dropRegister = (client: BenchClient, design: MappedDesign, address: number): Promise<boolean> =>
  changeMap(
    client,
    design,
    (map) => map && { ...map, registers: map.registers.filter((one) => one.address !== address) },
  );

export function togglePin(client: BenchClient, design: MappedDesign, address: number): void {
  const { pinned } = viewOf(mapsOf(client).getState(), design);
  changeView(client, design, {
    pinned: pinned.includes(address) ? pinned.filter((one) => one !== address) : [...pinned, address],
  });
}

/** Stores the name of the first pinned register, for views without the map. */
export function notePinnedName(client: BenchClient, design: MappedDesign): void {
  const { pinned, pinnedName, inUse } = viewOf(mapsOf(client).getState(), design);
  const name = inUse?.registers.find(({ address }) => address === pinned[0])?.name;
  if (name !== pinnedName) changeView(client, design, { pinnedName: name });
}
