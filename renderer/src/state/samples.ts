import { createStore } from 'zustand/vanilla';
import { onNextFrame } from './next-frame.ts';

/** The last that is known of a register. */
export interface KnownValue {
  value: number;
  /** What it was before that; undefined for the first read. */
  previous: number | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it is another value than at the read before. */
  changed: boolean;
}

/** Values of one register over time: seconds since 1970, and words. */
export interface Series {
  times: number[];
  values: number[];
}

/** Samples kept of one register: an hour at ten in a second. */
export const MOST_SAMPLES = 36_000;
/** Longest burst of which every word becomes a row of the watch; larger ones are for the memory view. */
export const MOST_WATCHED_WORDS = 16;

interface NodeSamples {
  known: Map<number, KnownValue>;
  series: Map<number, Series>;
  build: string | undefined;
}

const nodes = new Map<number, NodeSamples>();

/** Grows with every sample of a node, at most once a frame: what views compare. */
export const samplesVersion = createStore<Partial<Record<number, number>>>(() => ({}));

let versions: Record<number, number> = {};
const tell = onNextFrame(() => samplesVersion.setState(versions));
const touch = (node: number) => {
  versions = { ...versions, [node]: (versions[node] ?? 0) + 1 };
  tell();
};

function samplesOf(node: number): NodeSamples {
  let samples = nodes.get(node);
  if (!samples) {
    samples = { known: new Map(), series: new Map(), build: undefined };
    nodes.set(node, samples);
  }
  return samples;
}

/** Values that were read or written, by address. */
export const knownValues = (node: number): ReadonlyMap<number, KnownValue> => samplesOf(node).known;

/** Samples of a register; empty when there are none. */
export const seriesOf = (node: number, address: number): Readonly<Series> =>
  samplesOf(node).series.get(address) ?? { times: [], values: [] };

/** Takes the words of a transaction. `at` in milliseconds; words of one transaction share their time. */
export function recordWords(
  node: number,
  address: number,
  words: readonly number[],
  fixed: boolean,
  at: number,
): void {
  const { known, series } = samplesOf(node);
  const short = words.length <= MOST_WATCHED_WORDS || fixed;
  const put = (place: number, value: number) => {
    const before = known.get(place);
    if (!before && !short) return;
    known.set(place, {
      value,
      previous: before?.value,
      at,
      changed: before !== undefined && before.value !== value,
    });
    const samples = series.get(place) ?? { times: [], values: [] };
    series.set(place, samples);
    samples.times.push(at / 1000);
    samples.values.push(value);
    if (samples.times.length > MOST_SAMPLES * 1.1) {
      samples.times.splice(0, samples.times.length - MOST_SAMPLES);
      samples.values.splice(0, samples.values.length - MOST_SAMPLES);
    }
  };
  if (fixed) {
    const last = words.at(-1);
    if (last !== undefined) put(address, last);
  } else for (const [index, word] of words.entries()) put(address + 4 * index, word);
  touch(node);
}

/** Takes a row out of the watch. */
export function forgetAddress(node: number, address: number): void {
  samplesOf(node).known.delete(address);
  samplesOf(node).series.delete(address);
  touch(node);
}

/** The curves begin anew; what the watch shows stays. */
export function clearSeries(node: number): void {
  samplesOf(node).series.clear();
  touch(node);
}

/** Another design has other registers: what was known of the one before is forgotten. */
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

/** Runs of addresses that follow each other, as the bursts that read them. */
export function toBursts(addresses: Iterable<number>, most: number): { address: number; count: number }[] {
  const bursts: { address: number; count: number }[] = [];
  for (const address of [...new Set(addresses)].sort((a, b) => a - b)) {
    const last = bursts.at(-1);
    if (last && last.address + 4 * last.count === address && last.count < most) last.count += 1;
    else bursts.push({ address, count: 1 });
  }
  return bursts;
}
