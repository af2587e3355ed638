import type { SignalInfo, SignalValues } from '../../../../../../server/contract/signals/signals.ts';
import type { WaveFormat, WaveRow } from '../../../../../../server/contract/signals/waves.ts';
import type { WaveValue } from './samples.ts';
import type { ValueNames } from './value-text.ts';

/** A row as it is shown. */
export type Lane =
  | { kind: 'group'; key: string; index: number; title: string; folded: boolean; count: number }
  /** The transactions of the bench's bus, where they were recorded. */
  | { kind: 'transfers'; key: string }
  | {
      kind: 'signal';
      key: string;
      /** Its place among all rows. */
      index: number;
      name: string;
      width: number;
      format: WaveFormat;
      names: ValueNames;
      /** It stands in a group. */
      inGroup: boolean;
      /** What the design that runs has of it; undefined where it has no such signal. */
      info: SignalInfo | undefined;
    };

export type SignalLane = Extract<Lane, { kind: 'signal' }>;

/** A name without the part of it that is asked for: `count` of `count[3:0]`. */
export const baseName = (name: string): string => name.replace(/\[\d+(?::\d+)?\]$/, '');

/** Bits of a name: of the part that it asks for, else of the signal. */
export function widthOf(name: string, info: SignalInfo | undefined): number {
  const [, from, to] = /\[(\d+)(?::(\d+))?\]$/.exec(name) ?? [];
  if (from === undefined || info?.name === name) return info?.width ?? 1;
  return Math.abs(Number(from) - Number(to ?? from)) + 1;
}

/** The signals of a design, by name. */
export type SignalsByName = ReadonlyMap<string, SignalInfo>;

export const infoOf = (known: SignalsByName, name: string): SignalInfo | undefined =>
  known.get(name) ?? known.get(baseName(name));

/**
 * The rows that are in sight, those of folded groups left out.
 * @param namesOf what the register map calls the values of a signal
 * @param withTransfers the capture has the bus
 */
export function lanesOf(
  rows: readonly WaveRow[],
  known: SignalsByName,
  namesOf: (name: string, width: number) => ValueNames,
  withTransfers: boolean,
): Lane[] {
  const lanes: Lane[] = withTransfers ? [{ kind: 'transfers', key: 'transfers' }] : [];
  let group: Extract<Lane, { kind: 'group' }> | undefined;
  rows.forEach((row, index) => {
    if (row.kind === 'group') {
      const { title, folded = false } = row;
      group = { kind: 'group', key: `group ${index}`, index, title, folded, count: 0 };
      lanes.push(group);
      return;
    }
    if (group) group.count += 1;
    if (group?.folded) return;
    const info = infoOf(known, row.name);
    const width = widthOf(row.name, info);
    const names = { ...namesOf(row.name, width), ...row.names };
    const format = row.format ?? (Object.keys(names).length > 0 ? 'names' : 'hex');
    const { name } = row;
    lanes.push({
      ...{ kind: 'signal', key: `signal ${name}`, index, name, width, format, names, info },
      inGroup: group !== undefined,
    });
  });
  return lanes;
}

/** Rows with one of them at another place, one up or down. */
export function movedRow(rows: readonly WaveRow[], index: number, by: -1 | 1): WaveRow[] {
  const to = index + by;
  const moved = rows.toSpliced(index, 1);
  const row = rows[index];
  return row && to >= 0 && to < rows.length ? moved.toSpliced(to, 0, row) : [...rows];
}

/** Bits of all signals among rows together. */
export const bitsOf = (rows: readonly WaveRow[], known: SignalsByName): number =>
  rows.reduce(
    (sum, row) => sum + (row.kind === 'signal' ? widthOf(row.name, infoOf(known, row.name)) : 0),
    0,
  );

/** The same without the bits that are lost; of a part of a signal as many as there may be. */
export const recordedBits = (rows: readonly WaveRow[], known: SignalsByName): number =>
  rows.reduce((sum, row) => {
    const info = row.kind === 'signal' ? infoOf(known, row.name) : undefined;
    return info && row.kind === 'signal'
      ? sum + Math.min(widthOf(row.name, info), info.width - info.lost)
      : sum;
  }, 0);

/** Values of now, by name. */
export type LiveValues = ReadonlyMap<string, SignalValues['signals'][number]>;

/** Whether the value of a lane is a part of a signal that has lost bits: which ones only the whole of it tells. */
const isUncertain = ({ name, info }: SignalLane): boolean =>
  info !== undefined && info.lost > 0 && info.name !== name;

/** What the bench is asked for to know the value of a lane; undefined where nothing is left of it. */
export const sampleNameOf = (lane: SignalLane): string | undefined =>
  lane.info === undefined || lane.info.lost >= lane.info.width
    ? undefined
    : isUncertain(lane)
      ? lane.info.name
      : lane.name;

/** The value of a lane now; `lost` where none of its bits are left, undefined while it is not known. */
export function liveValue(lane: SignalLane, live: LiveValues): WaveValue | 'lost' | undefined {
  const { info, name, width } = lane;
  if (info && info.lost >= info.width) return 'lost';
  const now = live.get(sampleNameOf(lane) ?? '');
  if (!info || !now) return undefined;
  if (!isUncertain(lane)) return typeof now.value === 'number' ? now.value : BigInt(now.value);
  const [, from = '0', to = from] = /\[(\d+)(?::(\d+))?\]$/.exec(name) ?? [];
  const bits = [from, to].map((index) =>
    info.ascending ? info.low + info.width - 1 - Number(index) : Number(index) - info.low,
  );
  const part = (value: number | string | undefined) =>
    BigInt.asUintN(width, BigInt(value ?? 0) >> BigInt(Math.min(...bits)));
  if (part(now.lost) === (1n << BigInt(width)) - 1n) return 'lost';
  return width <= 32 ? Number(part(now.value)) : part(now.value);
}
