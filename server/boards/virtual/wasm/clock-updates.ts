import type { Design } from '../graph/lower.ts';
import type { Partition } from '../graph/partition.ts';
import type { SourceSet } from '../words/regions.ts';
import type { Layout } from './layout.ts';

/** Sources that are watched besides those of regions, and the share of clocks in which they may miss a change. */
const MAX_WATCHED = 6;
const MISSED = 0.02;

export const isIn = (set: SourceSet, source: number): boolean =>
  (((set[source >> 5] ?? 0) >>> (source & 31)) & 1) === 1;

/**
 * State that changes with clocks, as numbered sources: the words of registers and read ports, which are consecutive in
 * memory, then the block RAMs. One more stands for anything that may change at any time.
 */
export class ClockUpdates {
  /** The first word, and the number of words. */
  readonly first: number;
  readonly words: number;
  /** Words and block RAMs. */
  readonly sources: number;
  /** The clock domain of each of the consecutive words. */
  readonly #domains: readonly number[];
  readonly #domainsOfRams: readonly number[];

  constructor(design: Design, partition: Partition) {
    const domains: number[] = [];
    this.first = partition.inputs;
    for (const cluster of partition.clusters) {
      if (cluster.kind === 'register') domains[cluster.word - this.first] = cluster.control.domain;
      if (cluster.kind === 'ram-read') domains[cluster.word - this.first] = cluster.port.read.clockDomain;
    }
    this.#domains = domains;
    this.#domainsOfRams = design.rams.flatMap(({ write }) => (write ? [write.clockDomain] : []));
    this.words = domains.length;
    this.sources = domains.length + design.rams.length;
  }

  /** Whether any state changes with the clock of a domain. */
  hasDomain(domain: number): boolean {
    return this.#domains.includes(domain) || this.#domainsOfRams.includes(domain);
  }

  /** The clock domain of a word. */
  domainOf(word: number): number | undefined {
    return this.#domains[word - this.first];
  }

  /** The words of a clock domain as ranges within the consecutive words. */
  wordsOf(domain: number): { from: number; count: number }[] {
    const rows: { from: number; count: number }[] = [];
    this.#domains.forEach((one, at) => {
      if (one !== domain) return;
      const last = rows.at(-1);
      if (last && last.from + last.count === at) last.count++;
      else rows.push({ from: at, count: 1 });
    });
    return rows;
  }

  /** Words of 32 bits in a set of sources. */
  get sets(): number {
    return (this.sources >> 5) + 1;
  }

  /** -1 for inputs, whose changes mark everything. */
  ofWord(word: number): number {
    if (word < this.first) return -1;
    return this.isWord(word) ? word - this.first : this.sources;
  }

  /** Whether it is a word of registers or of a read port. */
  isWord(word: number): boolean {
    return word >= this.first && word - this.first < this.words;
  }

  ofRam(ram: number): number {
    return this.words + ram;
  }

  /** The sources that changed from each of several consecutive memory states to the next. */
  changesOver(layout: Layout, seen: readonly (readonly Int32Array[])[]): SourceSet[] {
    return seen.flatMap((memories) =>
      memories.flatMap((after, k) => {
        const before = memories[k - 1];
        return before ? [this.#changes(layout, before, after)] : [];
      }),
    );
  }

  /** Sources to watch: those of regions, and some that show nearly every clock with a change. */
  watched(guards: readonly SourceSet[], samples: readonly SourceSet[]): SourceSet {
    const watched = new Uint32Array(this.sets);
    for (const guard of guards)
      guard.forEach((bits, k) => {
        watched[k] = (watched[k] ?? 0) | bits;
      });
    const sources = Array.from({ length: this.sources }, (_, source) => source);
    let missed = samples.filter((sample) => {
      const changed = sources.filter((source) => isIn(sample, source));
      return changed.length > 0 && !changed.some((source) => isIn(watched, source));
    });
    for (let count = 0; count < MAX_WATCHED && missed.length > MISSED * samples.length; count++) {
      const times = sources.map((source) => missed.filter((sample) => isIn(sample, source)).length);
      const best = times.indexOf(Math.max(...times));
      watched[best >> 5] = (watched[best >> 5] ?? 0) | (1 << (best & 31));
      missed = missed.filter((sample) => !isIn(sample, best));
    }
    return watched;
  }

  #changes(layout: Layout, before: Int32Array, after: Int32Array): SourceSet {
    const set = new Uint32Array(this.sets);
    const add = (source: number) => {
      set[source >> 5] = (set[source >> 5] ?? 0) | (1 << (source & 31));
    };
    for (let source = 0; source < this.words; source++) {
      const cell = layout.word(this.first + source) >> 2;
      if (before[cell] !== after[cell]) add(source);
    }
    for (let ram = 0; ram < this.sources - this.words; ram++) {
      const from = layout.ram(ram) >> 2;
      for (let cell = from; cell < from + 128; cell++)
        if (before[cell] !== after[cell]) {
          add(this.ofRam(ram));
          break;
        }
    }
    add(this.sources);
    return set;
  }
}
