import { createStore } from 'zustand/vanilla';
import type { PinsEvent } from '../../../../server/contract/events/events.ts';
import { onNextFrame } from '../page/next-frame.ts';
import { type Memory, readStored, writeStored } from '../page/preferences.ts';
import { Series } from './series.ts';

const KEY = 'wishbench.pin-views';

/** The samples of a node's pins over time. */
interface NodeSamples {
  series: Map<string, Series>;
  /** Name → width in bits, in the order of the source. */
  widths: Map<string, number>;
}

const nodes = new Map<number, NodeSamples>();

/** Node → a count of samples that grows at most once per frame, for views to compare. */
export const pinSamples = createStore<Partial<Record<number, number>>>(() => ({}));

const versions = new Map<number, number>();
const tell = onNextFrame(() => pinSamples.setState(Object.fromEntries(versions)));

const NONE = new Series();

/** Samples of a pin since this window has watched it; empty without any. */
export const pinSeries = (node: number, name: string): Series => nodes.get(node)?.series.get(name) ?? NONE;

/** Width of a watched pin in bits; undefined for others. */
export const pinWidth = (node: number, name: string): number | undefined => nodes.get(node)?.widths.get(name);

/** Takes pin events. A complete event that lacks a known pin comes from another design. @param at ms since 1970 */
export function recordPins({ fpga_id: node, complete, pins }: PinsEvent, at: number): void {
  let samples = nodes.get(node);
  const isOther =
    complete && (pins.length !== samples?.widths.size || pins.some(({ name }) => !samples?.widths.has(name)));
  if (!samples || isOther) samples = { series: new Map(), widths: new Map() };
  nodes.set(node, samples);
  for (const { name, value, width } of pins) {
    const series = samples.series.get(name) ?? new Series();
    samples.series.set(name, series);
    samples.widths.set(name, width);
    const number = Number(BigInt(value));
    const last = series.length - 1;
    if (last < 0 || series.value(last) !== number) series.push(at / 1000, number);
  }
  versions.set(node, (versions.get(node) ?? 0) + 1);
  tell();
}

/** The stored view of a design's pins. */
interface PinView {
  /** Ports with a plot. */
  plotted: readonly string[];
  /** Port on the node's card. */
  pinned: string | undefined;
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const stored = (memory: Memory | undefined): Record<string, unknown> => {
  const all = readStored(memory, KEY);
  return isRecord(all) ? all : {};
};

/** The stored view of a design. @param design its module */
export function pinViewOf(memory: Memory | undefined, design: string): PinView {
  const view = stored(memory)[design];
  const { plotted, pinned }: { plotted?: unknown; pinned?: unknown } = isRecord(view) ? view : {};
  return { plotted: namesIn(plotted), pinned: typeof pinned === 'string' ? pinned : undefined };
}

/** Counts the writes to the stored views. */
export const pinViews = createStore<{ written: number }>(() => ({ written: 0 }));

/** Stores a part of a view. */
export function keepPinView(memory: Memory | undefined, design: string, change: Partial<PinView>): void {
  const view = { ...pinViewOf(memory, design), ...change };
  writeStored(memory, KEY, { ...stored(memory), [design]: view });
  pinViews.setState(({ written }) => ({ written: written + 1 }));
}
