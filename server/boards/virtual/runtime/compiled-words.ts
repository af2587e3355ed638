import { type WordMachine, wordMachineCode } from '../wasm/word-machine-code.ts';
import { MAX_TABLES } from '../words/word-graph.ts';
import type { LaidOut } from './machine-plan.ts';

/** Memory for values and tables of the compiled engine, bytes. One lookup adds up to four tables. */
export const WORD_CELLS = 65_536 + 1024 * (MAX_TABLES + 4);

/** The machine's memory in some clocks of the running design: several series of consecutive clocks. */
export type Seen = readonly (readonly Int32Array[])[];

/** A compiled engine that a machine can adopt, over a memory `env.memory`. It can be sent to another thread. */
export interface CompiledWords extends Omit<WordMachine, 'code' | 'bytes'> {
  module: WebAssembly.Module;
}

/** Makes a compiled engine and calls back; null where there can be none. */
export type WordsMaker = (design: LaidOut, seen: Seen, done: (words: CompiledWords | null) => void) => void;

/**
 * Compiles a design for the compiled engine, which takes a second or two for a soft CPU. Null where its logic is too
 * deep or too entangled.
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
