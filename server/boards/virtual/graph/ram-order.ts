import type { Design } from './lower.ts';

/** Data bits of a block RAM. */
const WIDTH = 16;

/**
 * For each block RAM, the stored bit of each data pin. Synthesis connects the pins in any order. The contents are
 * stored in the bit order of the surrounding registers, so that words of registers and stored words match. Only where
 * both ports have full width: others split words.
 * @param laneOf bit of its word in which a register is stored
 */
export function ramOrders(design: Design, laneOf: (state: number) => number | undefined): number[][] {
  const readers = new Map<number, number[]>();
  design.registers.forEach(({ state }) => {
    for (const source of design.neighbourhood.near[state] ?? [])
      readers.set(source, [...(readers.get(source) ?? []), state]);
  });
  return design.rams.map(({ source, state, write }) => {
    const straight = Array.from({ length: WIDTH }, (_, pin) => pin);
    if (source.readMode !== 0 || (write && source.writeMode !== 0)) return straight;
    const votes = straight.map((pin) => {
      const counts = new Map<number, number>();
      for (const reader of readers.get(state + pin) ?? []) {
        const lane = laneOf(reader);
        if (lane !== undefined) counts.set(lane % WIDTH, (counts.get(lane % WIDTH) ?? 0) + 1);
      }
      return [...counts].map(([bit, count]) => ({ pin, bit, count }));
    });
    const order: number[] = new Array(WIDTH).fill(-1);
    const free = new Set(straight);
    for (const { pin, bit } of votes.flat().sort((x, y) => y.count - x.count)) {
      if (order[pin] !== -1 || !free.has(bit)) continue;
      order[pin] = bit;
      free.delete(bit);
    }
    return order.map((bit) => {
      if (bit >= 0) return bit;
      const [next = 0] = free;
      free.delete(next);
      return next;
    });
  });
}

/** Reorders `bits` from pins to bits of a stored word. */
export function stored<T>(bits: readonly T[], order: readonly number[]): T[] {
  const word = [...bits];
  if (bits.length === order.length)
    order.forEach((bit, pin) => {
      const moved = bits[pin];
      if (moved !== undefined) word[bit] = moved;
    });
  return word;
}

/** Reorders a word from pins to its stored form. */
export function storedWord(word: number, order: readonly number[]): number {
  return order.reduce((bits, bit, pin) => bits | (((word >> pin) & 1) << bit), 0);
}
