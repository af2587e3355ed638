import type { Node } from '../graph/boolean-graph.ts';
import type { Design } from '../graph/lower.ts';
import type { Partition } from '../graph/partition.ts';
import { assembleModule, FunctionBody } from './assembler.ts';
import { Expressions } from './expressions.ts';
import { type Layout, SAMPLE_WORDS } from './layout.ts';

/** Bits of a word. */
const WORD = 32;
/** Maximum bits of a sample. */
const MAX_SAMPLE_BITS = SAMPLE_WORDS * WORD;

/**
 * A WebAssembly module over the memory of a machine. Its `sample()` collects the nodes, node k as bit k & 31 of word k
 * >> 5. It reads the machine's stored words and computes other nodes from them.
 */
export function samplerCode(
  design: Design,
  partition: Partition,
  layout: Layout,
  nodes: readonly Node[],
): Uint8Array {
  if (nodes.length > MAX_SAMPLE_BITS) throw new RangeError(`A sample has at most ${MAX_SAMPLE_BITS} bits.`);
  const body = new FunctionBody('sample', 0, 0);
  for (let at = 0; at < nodes.length; at += WORD) {
    const lanes = nodes.slice(at, at + WORD);
    body.scoped(() => {
      const code = new Expressions(design, partition, layout, body, [], lanes);
      body.store(layout.sample + at / 8, () => code.pack(lanes));
    });
  }
  return assembleModule([body]);
}
