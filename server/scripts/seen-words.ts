import type { SeenWord } from '../contract/jobs/scripts.ts';
import type { DoneTransaction } from './done-transaction.ts';

/** A value of a word, and the number of writes before it. */
interface Read {
  value: number;
  writes: number;
}

/** What a session shows about its words, by byte address. */
export interface SeenWords {
  /** What a read of a value proposes. */
  at(address: number, value: number): SeenWord;
}

/** Minimum distinct values in one direction that make a counter. */
const COUNTED = 3;
/** Minimum reads that show which bits change, and between which values a word moves. */
const READS_OF_BITS = 3;
const READS_OF_RANGE = 4;
/** Maximum changing bits of a status word. */
const STATUS_BITS = 4;

function bitsIn(word: number): number {
  let bits = 0;
  for (let rest = word; rest !== 0; rest = (rest & (rest - 1)) >>> 0) bits++;
  return bits;
}

/** The proposal for a word that changed by itself, from its values in order of time. */
function proposalOf(values: readonly number[], changed: number): SeenWord['proposal'] {
  const rises = values.every((value, at) => at === 0 || value >= (values[at - 1] as number));
  const falls = values.every((value, at) => at === 0 || value <= (values[at - 1] as number));
  const oneWay = rises || falls;
  if (oneWay && new Set(values).size >= COUNTED) return 'ignored';
  const bits = bitsIn(changed);
  if (values.length >= READS_OF_BITS && (oneWay ? bits === 1 : bits <= STATUS_BITS)) return 'mask';
  return values.length >= READS_OF_RANGE && !oneWay ? 'range' : 'ignored';
}

/**
 * Collects what reads show about words. A word changes by itself if two reads without a write between them differ, and
 * the later value was not written to it: a FIFO returns what was written.
 * @param done transactions and polls, oldest first
 */
export function seenWords(done: readonly DoneTransaction[]): SeenWords {
  const reads = new Map<number, Read[]>();
  const written = new Map<number, Set<number>>();
  let writes = 0;
  for (const { op, address, fixed, fault, data } of done) {
    if (op === 'write') writes++;
    if (fault || data === null) continue;
    for (const [index, value] of data.entries()) {
      const place = fixed ? address : address + 4 * index;
      if (op === 'write') written.set(place, (written.get(place) ?? new Set()).add(value));
      else reads.set(place, [...(reads.get(place) ?? []), { value, writes }]);
    }
  }
  return {
    at(address, value) {
      const all = reads.get(address) ?? [];
      const own = written.get(address);
      const unexplained = all.map((read) => read.value).filter((one) => !own?.has(one));
      const some = unexplained.length > 0 ? unexplained : [value];
      const [first = value] = some;
      const changed = some.reduce((bits, one) => (bits | (one ^ first)) >>> 0, 0);
      const byItself = all.some((read, at) => {
        const before = all[at - 1];
        return before?.writes === read.writes && before.value !== read.value && !own?.has(read.value);
      });
      return {
        ...{ value, reads: all.length, stable: ~changed >>> 0 },
        min: some.reduce((least, one) => Math.min(least, one), value),
        max: some.reduce((most, one) => Math.max(most, one), value),
        proposal: byItself && !own?.has(value) ? proposalOf(some, changed) : 'expected',
      };
    },
  };
}
