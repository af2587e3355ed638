import { createStore } from 'zustand/vanilla';
import { onNextFrame } from '../page/next-frame.ts';
import { Series } from './series.ts';

/** The last known value of a register. */
export interface LastValue {
  value: number;
  /** The value before; undefined after the first read. */
  previous: number | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it differs from the previous read. */
  changed: boolean;
  /** It was read before the board was reset or programmed again: the design may have another value. */
  stale: boolean;
  /** It was written and not read since: the design may have another value. */
  written: boolean;
}

/** Maximum burst that adds its words to the watch; the memory view is for longer ones. */
export const MAX_WATCHED_WORDS = 16;

interface NodeSamples {
  known: Map<number, LastValue>;
  series: Map<number, Series>;
  /** Polled addresses: their last value is still valid. */
  live: ReadonlySet<number>;
  build: string | undefined;
}

const nodes = new Map<number, NodeSamples>();

/** Node → a count of samples that grows at most once per frame, for views to compare. */
export const samplesVersion = createStore<Partial<Record<number, number>>>(() => ({}));

const versions = new Map<number, number>();
const tell = onNextFrame(() => samplesVersion.setState(Object.fromEntries(versions)));
const touch = (node: number) => {
  versions.set(node, (versions.get(node) ?? 0) + 1);
  tell();
};

function samplesOf(node: number): NodeSamples {
  let samples = nodes.get(node);
  if (!samples) {
    samples = { known: new Map(), series: new Map(), live: new Set(), build: undefined };
    nodes.set(node, samples);
  }
  return samples;
}

/** Address → its last value read or written. */
export const lastValuesOf = (node: number): ReadonlyMap<number, LastValue> => samplesOf(node).known;

const NO_SAMPLES = new Series();

/** Samples of a register; empty without any. */
export const seriesOf = (node: number, address: number): Series =>
  samplesOf(node).series.get(address) ?? NO_SAMPLES;

/** Whether a register is polled: its last value is still valid. */
export const isLive = (node: number, address: number): boolean => samplesOf(node).live.has(address);

function sample(samples: NodeSamples, address: number, value: number, at: number): void {
  let series = samples.series.get(address);
  if (!series) {
    series = new Series();
    samples.series.set(address, series);
  }
  series.push(at / 1000, value);
}

/**
 * Takes the words of a transaction. `at` in ms; all words share this time.
 * @param written the words were written, not read
 */
export function recordWords(
  node: number,
  address: number,
  words: readonly number[],
  fixed: boolean,
  at: number,
  written = false,
): void {
  const samples = samplesOf(node);
  const { known } = samples;
  const short = words.length <= MAX_WATCHED_WORDS || fixed;
  const put = (place: number, value: number) => {
    const before = known.get(place);
    if (!before && !short) return;
    known.set(place, {
      value,
      previous: before?.value,
      at,
      changed: before !== undefined && before.value !== value,
      stale: false,
      written,
    });
    sample(samples, place, value, at);
  };
  if (fixed) {
    const last = words.at(-1);
    if (last !== undefined) put(address, last);
  } else for (const [index, word] of words.entries()) put(address + 4 * index, word);
  touch(node);
}

/** Takes the words of a polled place. Only changed words are samples; the others continue. */
export function recordChange(node: number, address: number, words: readonly number[], at: number): void {
  const { known, series } = samplesOf(node);
  words.forEach((word, index) => {
    const place = address + 4 * index;
    const before = known.get(place);
    const curve = series.get(place);
    const goesOn = curve !== undefined && curve.length > 0 && curve.value(curve.length - 1) === word;
    if (!before || before.value !== word || before.stale || !goesOn)
      recordWords(node, place, [word], false, at);
    else known.set(place, { ...before, at, changed: false, written: false });
  });
  touch(node);
}

/** Sets the polled addresses. The value of a dropped address is unknown from `at` on, ms. */
export function setLive(node: number, addresses: ReadonlySet<number>, at: number): void {
  const samples = samplesOf(node);
  for (const address of samples.live) if (!addresses.has(address)) sample(samples, address, Number.NaN, at);
  samples.live = new Set(addresses);
  touch(node);
}

/** Marks a node's values as read before a reset or a new programming of its board. */
export function markStale(node: number): void {
  const { known } = samplesOf(node);
  for (const [address, value] of known) known.set(address, { ...value, changed: false, stale: true });
  touch(node);
}

/** Removes a row of the watch. Returns what brings it back. */
export function forgetAddress(node: number, address: number): () => void {
  const { known, series } = samplesOf(node);
  const [value, curve] = [known.get(address), series.get(address)];
  known.delete(address);
  series.delete(address);
  touch(node);
  return () => {
    if (value && !known.has(address)) known.set(address, value);
    if (curve && !series.has(address)) series.set(address, curve);
    touch(node);
  };
}

/** Clears the curves; the watch keeps its values. Returns what brings them back. */
export function clearSeries(node: number): () => void {
  const { series } = samplesOf(node);
  const curves = [...series];
  series.clear();
  touch(node);
  return () => {
    for (const [address, curve] of curves) {
      const later = series.get(address);
      for (let index = 0; later && index < later.length; index += 1)
        curve.push(later.time(index), later.value(index));
      series.set(address, curve);
    }
    touch(node);
  };
}

/** Forgets the registers of the previous design. */
export function beginBuild(node: number, build: string | undefined): void {
  const samples = samplesOf(node);
  if (build === undefined || samples.build === build) return;
  if (samples.build !== undefined) {
    samples.known.clear();
    samples.series.clear();
    touch(node);
  }
  samples.build = build;
}
