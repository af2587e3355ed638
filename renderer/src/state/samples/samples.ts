import { createStore } from 'zustand/vanilla';
import { onNextFrame } from '../page/next-frame.ts';
import { Series } from './series.ts';

/** The last that is known of a register. */
export interface LastValue {
  value: number;
  /** What it was before that; undefined for the first read. */
  previous: number | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it is another value than at the read before. */
  changed: boolean;
  /** It was read before the board was reset or programmed again: the design may hold another value now. */
  stale: boolean;
  /** It was written and not read since: what the design holds may be another value. */
  written: boolean;
}

/** Longest burst of which every word becomes a row of the watch; larger ones are for the memory view. */
export const MAX_WATCHED_WORDS = 16;

interface NodeSamples {
  known: Map<number, LastValue>;
  series: Map<number, Series>;
  /** Addresses that are polled now: their last value holds until this moment. */
  live: ReadonlySet<number>;
  build: string | undefined;
}

const nodes = new Map<number, NodeSamples>();

/** Grows with every sample of a node, at most once a frame: what views compare. */
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

/** Values that were read or written, by address. */
export const lastValuesOf = (node: number): ReadonlyMap<number, LastValue> => samplesOf(node).known;

const NO_SAMPLES = new Series();

/** Samples of a register; empty when there are none. */
export const seriesOf = (node: number, address: number): Series =>
  samplesOf(node).series.get(address) ?? NO_SAMPLES;

/** Whether a register is polled now, so that its last value holds until this moment. */
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
 * Takes the words of a transaction. `at` in milliseconds; words of one transaction share their time.
 * @param written they were written, not read
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

/**
 * Takes what a polled place holds now. Of its words only those that are others than before are samples: the rest goes
 * on as it was.
 */
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

/** Says which addresses are polled from now on; of those that are no longer, nothing more is known. @param at ms */
export function setLive(node: number, addresses: ReadonlySet<number>, at: number): void {
  const samples = samplesOf(node);
  for (const address of samples.live) if (!addresses.has(address)) sample(samples, address, Number.NaN, at);
  samples.live = new Set(addresses);
  touch(node);
}

/** Marks what is known of a node as read before its board was reset or programmed again. */
export function markStale(node: number): void {
  const { known } = samplesOf(node);
  for (const [address, value] of known) known.set(address, { ...value, changed: false, stale: true });
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
