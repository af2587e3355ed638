import { type WordMachine, wordMachineCode } from '../wasm/word-machine-code.ts';
import { MAX_TABLES } from '../words/word-graph.ts';
import type { LaidOut } from './machine-plan.ts';

/** Memory for values and tables of an evaluation in words, bytes. Within one look at a word up to four tables are added. */
export const WORD_CELLS = 65_536 + 1024 * (MAX_TABLES + 4);

/** What the machine's memory was in some clocks of the running design: several times in some that follow one another. */
export type Seen = readonly (readonly Int32Array[])[];

/** An evaluation in words that a machine can take over, over a memory `env.memory`. May be sent to another thread. */
export interface CompiledWords extends Omit<WordMachine, 'code' | 'bytes'> {
  module: WebAssembly.Module;
}

/** Makes evaluations in words, and says when: null where there can be none. */
export type WordsMaker = (design: LaidOut, seen: Seen, done: (words: CompiledWords | null) => void) => void;

/**
 * Compiles a design for evaluation in words, which takes a second or two for a soft CPU. Null where that cannot be done: its
 * logic is too deep or too entangled.
 */
export function makeWords({ netlist, design, parts, layout }: LaidOut, seen: Seen): CompiledWords | null {
  try {
    const { code, bytes, ...words } = wordMachineCode(netlist, design, parts, layout, layout.bytes, seen);
    if (bytes > layout.bytes + WORD_CELLS) return null;
    return { ...words, module: new WebAssembly.Module(code) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
