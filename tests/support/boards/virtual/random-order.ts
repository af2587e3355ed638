import type { Order, Step } from '../../../../server/boards/virtual/words/schedule.ts';
import { type Value, WordGraph } from '../../../../server/boards/virtual/words/word-graph.ts';

/** Words and block RAMs that random evaluations read. */
export const WORDS = 6;
const RAM_WORDS = 256;
/** Places in a memory: the words, then a block RAM of 256 words of 16 bits. */
export const PLACES = { word: (index: number) => 4 * index, ram: () => 4 * WORDS };

/** A memory with these contents. */
export function randomMemory(random: (n: number) => number): Int32Array {
  return Int32Array.from({ length: WORDS + RAM_WORDS / 2 }, () => random(0x10000) | (random(0x10000) << 16));
}

/**
 * A random evaluation over all operations there are: masks, selects and single bits in all lanes, as designs have them, and
 * what none has.
 */
export function randomOrder(random: (n: number) => number): { order: Order; words: WordGraph } {
  const words = new WordGraph();
  const lane = () => random(32);
  const known: Value[] = Array.from({ length: WORDS }, (_, index) => words.load(index, -1));
  const any = () => known[random(known.length)] ?? words.low;
  const number = () => words.constant(random(3) ? 1 << lane() : random(0x10000) | (random(0x10000) << 16));
  const bit = () => words.and(words.moved(any(), lane()), words.constant(1));
  const table = Int32Array.from({ length: 256 }, () => random(0x10000) | (random(0x10000) << 16));
  const operations = [
    () => words.and(any(), any()),
    () => words.or(any(), any()),
    () => words.xor(any(), any()),
    () => words.and(any(), number()),
    () => words.or(any(), number()),
    () => words.not(any()),
    () => words.add(any(), any()),
    () => words.sub(any(), any()),
    () => words.spread(any(), lane()),
    () => words.moved(any(), lane() - 16),
    () => words.shl(any(), any()),
    () => words.shrU(any(), any()),
    () => words.shrS(any(), words.constant(lane())),
    () => words.mux(words.spread(any(), lane()), any(), any()),
    () => words.mux(any(), any(), any()),
    () => words.select(bit(), any(), any()),
    () => words.table(table, words.byte(any(), random(25))),
    () => words.ram(0, words.and(any(), words.constant(RAM_WORDS - 1))),
    bit,
  ];
  for (let count = 20 + random(60); count > 0; count--)
    known.push(operations[random(operations.length)]?.() ?? words.low);
  const actions = Array.from({ length: 3 }, (_, action) => ({
    condition: random(2) ? bit() : null,
    stores: [0, 1].map((k) => ({ address: 8 * action + 4 * k, value: any() })),
  }));
  const steps: Step[] = Array.from({ length: words.size }, (_, value) => ({ value, action: null }));
  for (const action of actions) steps.push({ value: null, action });
  return { order: { steps, resolved: (value) => value }, words };
}
