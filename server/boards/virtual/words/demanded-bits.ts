import type { Order } from './schedule.ts';
import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/** For each value the bits that anything depends on; the others may be anything. */
export function demandedBits(order: Order, words: WordGraph): Int32Array {
  const demanded = new Int32Array(words.size);
  const add = (wanted: Value, bits: number) => {
    const value = order.resolved(wanted);
    demanded[value] = (demanded[value] ?? 0) | bits;
  };
  const constantOf = (wanted: Value) => {
    const value = order.resolved(wanted);
    return words.operator(value) === WORD_OP.constant ? words.operand(value, 0) : null;
  };
  /** What a move asks for, where its distance is known. */
  const moved = (distance: Value, bits: (by: number) => number) => {
    const by = constantOf(distance);
    return by === null ? -1 : bits(by);
  };
  for (const { value, action } of order.steps.toReversed()) {
    if (action) {
      if (action.condition !== null) add(action.condition, -1);
      for (const store of action.stores) add(store.value, -1);
      continue;
    }
    const bits = demanded[value] ?? 0;
    if (bits === 0) continue;
    const [a, b] = [words.operand(value, 0), words.operand(value, 1)];
    switch (words.operator(value)) {
      case WORD_OP.and:
        add(a, bits & (constantOf(b) ?? -1));
        add(b, bits & (constantOf(a) ?? -1));
        break;
      case WORD_OP.or:
      case WORD_OP.xor:
        add(a, bits);
        add(b, bits);
        break;
      case WORD_OP.add:
      case WORD_OP.sub:
        // A bit of a sum depends on all those below it.
        add(a, -1 >>> Math.clz32(bits));
        add(b, -1 >>> Math.clz32(bits));
        break;
      case WORD_OP.shl:
        add(
          a,
          moved(b, (by) => bits >>> by),
        );
        add(b, -1);
        break;
      case WORD_OP.shrU:
        add(
          a,
          moved(b, (by) => bits << by),
        );
        add(b, -1);
        break;
      case WORD_OP.shrS:
        add(
          a,
          moved(b, (by) => (bits << by) | (1 << 31)),
        );
        add(b, -1);
        break;
      case WORD_OP.select:
        add(a, -1);
        add(b, bits);
        add(words.operand(value, 2), bits);
        break;
      default:
        words.operands(value, (operand) => add(operand, -1));
    }
  }
  return demanded;
}
