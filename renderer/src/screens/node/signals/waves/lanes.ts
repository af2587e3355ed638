import type { DecoderRow } from '../../../../../../server/contract/signals/decoders.ts';
import type { SignalInfo, SignalValues } from '../../../../../../server/contract/signals/signals.ts';
import type { WaveCurve, WaveFormat, WaveRow } from '../../../../../../server/contract/signals/waves.ts';
import { text } from '../../../../text/text.ts';
import { signalsOf } from '../decoders/decode.ts';
import type { WaveValue } from '../recording/samples.ts';
import type { ValueNames } from './value-text.ts';

/** A row on display. */
export type Lane =
  | { kind: 'group'; key: string; index: number; title: string; folded: boolean; count: number }
  /** The transfers on the bench's bus, if they were recorded. */
  | { kind: 'transfers'; key: string }
  | { kind: 'decoder'; key: string; index: number; title: string; row: DecoderRow; inGroup: boolean }
  | {
      kind: 'signal';
      key: string;
      /** Index among all rows. */
      index: number;
      name: string;
      width: number;
      format: WaveFormat;
      names: ValueNames;
      /** It is drawn as a curve. */
      curve?: WaveCurve | undefined;
      /** It belongs to a group. */
      inGroup: boolean;
      /** What the running design has of it; undefined if it has no such signal. */
      info: SignalInfo | undefined;
    };

export type SignalLane = Extract<Lane, { kind: 'signal' }>;

/** A name without its bit range: `count` of `count[3:0]`. */
export const baseName = (name: string): string => name.replace(/\[\d+(?::\d+)?\]$/, '');

/** Width of a name: of its bit range, else of the signal. */
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
 * The rows without those of folded groups.
 * @param namesOf names of a signal's values from the register map
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
    if (row.kind === 'decoder') {
      const title = row.title ?? text.decoders.titleOf(row.protocol, signalsOf(row)[0] ?? '');
      lanes.push({
        kind: 'decoder',
        key: `decoder ${index}`,
        index,
        title,
        row,
        inGroup: group !== undefined,
      });
      return;
    }
    const info = infoOf(known, row.name);
    const width = widthOf(row.name, info);
    const names = { ...namesOf(row.name, width), ...row.names };
    const format = row.format ?? (Object.keys(names).length > 0 ? 'names' : 'hex');
    const { name } = row;
    lanes.push({
      ...{ kind: 'signal', key: `signal ${name}`, index, name, width, format, names, info },
      inGroup: group !== undefined,
      ...(row.curve && width > 1 && { curve: row.curve }),
    });
  });
  return lanes;
}

/** Moves a row up or down by one. */
export function movedRow(rows: readonly WaveRow[], index: number, by: -1 | 1): WaveRow[] {
  const to = index + by;
  const moved = rows.toSpliced(index, 1);
  const row = rows[index];
  return row && to >= 0 && to < rows.length ? moved.toSpliced(to, 0, row) : [...rows];
}

/** The signals to record for rows: their own, and those that decoders read. */
export const namesOfRows = (rows: readonly WaveRow[]): string[] => [
  ...new Set(
    rows.flatMap((row) =>
      row.kind === 'signal' ? [row.name] : row.kind === 'decoder' ? signalsOf(row) : [],
    ),
  ),
];

/** Total width of all signals in the rows. */
export const bitsOf = (rows: readonly WaveRow[], known: SignalsByName): number =>
  namesOfRows(rows).reduce((sum, name) => sum + widthOf(name, infoOf(known, name)), 0);

/** The same without lost bits; of a bit range the maximum. */
export const recordedBits = (rows: readonly WaveRow[], known: SignalsByName): number =>
  namesOfRows(rows).reduce((sum, name) => {
    const info = infoOf(known, name);
    return info ? sum + Math.min(widthOf(name, info), info.width - info.lost) : sum;
  }, 0);

/** Live values, by name. */
export type LiveValues = ReadonlyMap<string, SignalValues['signals'][number]>;

/** Whether a lane shows a bit range of a signal with lost bits: only the whole signal tells which. */
const isUncertain = ({ name, info }: SignalLane): boolean =>
  info !== undefined && info.lost > 0 && info.name !== name;

/** The name to request for a lane's value; undefined if no bits are left. */
export const sampleNameOf = (lane: SignalLane): string | undefined =>
  lane.info === undefined || lane.info.lost >= lane.info.width
    ? undefined
    : isUncertain(lane)
      ? lane.info.name
      : lane.name;

/** The live value of a lane; `lost` if no bits are left, undefined while unknown. */
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
