import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../contract/check.ts';
import { editDistance } from '../text.ts';

/** Maximum signals of a design, and total bits; further ones are omitted and counted. */
export const MAX_SIGNALS = 20_000;
export const MAX_BITS = 200_000;

/**
 * The place of a bit on the chip; null for a bit that was optimised away.
 * - `x12y7/lc3`: the output of a logic cell, its flip-flop or else its look-up table;
 * - `x12y7/lc3/d`: the look-up table before a flip-flop;
 * - `x8y3/ram[5]`: a data pin of a block RAM;
 * - `x33y16/io1`: a pad;
 * - `!x12y7/lc3`: the inverse of a place;
 * - `0`, `1`: a constant.
 */
const Place = Type.Union([Type.String({ maxLength: 32 }), Type.Null()]);
export type Place = Static<typeof Place>;

const DesignSignal = Type.Object({
  /** Hierarchical, as in the user's source: `fifo.count`. */
  name: Type.String(),
  /** Whether all remaining bits are outputs of flip-flops, of block RAMs, or neither. */
  kind: Type.Union([Type.Literal('register'), Type.Literal('memory'), Type.Literal('net')]),
  /** The lower end of its range in the source: 4 for `[7:4]`. */
  low: Type.Integer(),
  /** The range counts upwards, as in `[0:7]`. */
  ascending: Type.Boolean(),
  /** Lowest bit first. */
  places: Type.Array(Place, { minItems: 1 }),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
});
export type DesignSignal = Static<typeof DesignSignal>;

/** Signals of a design that remain after a build, with their places on the chip. */
const DesignSymbols = Type.Object({
  version: Type.Literal(1),
  signals: Type.Array(DesignSignal),
  /** The bus between bench and design, under the bench's names: `bus.cyc`. */
  bus: Type.Array(DesignSignal),
  /** Number of omitted signals. */
  omitted: Type.Integer(),
});
export type DesignSymbols = Static<typeof DesignSymbols>;

const isSymbols = checkOf(DesignSymbols);

/** The stored form: JSON, compressed. */
export function encodeSymbols(symbols: DesignSymbols): Uint8Array {
  return brotliCompressSync(JSON.stringify(symbols), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
  });
}

/** Maximum bytes of decoded symbols; the largest stored ones have a fifth of it. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The inverse of `encodeSymbols`; null for any other bytes. */
export function decodeSymbols(bytes: Uint8Array): DesignSymbols | null {
  let text: string;
  try {
    text = brotliDecompressSync(bytes, { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    return null;
  }
  return parseAs(text, isSymbols);
}

/** A signal by its name, or a part of one in Verilog notation: `count`, `count[3]`, `count[7:4]`. */
export interface FoundSignal {
  /** As requested. */
  name: string;
  signal: DesignSignal;
  /** Lowest bit first. */
  places: Place[];
}

/** Looks up names of signals. */
export class SymbolTable {
  readonly symbols: DesignSymbols;
  readonly #byName = new Map<string, DesignSignal>();

  constructor(symbols: DesignSymbols) {
    this.symbols = symbols;
    for (const signal of [...symbols.bus, ...symbols.signals]) this.#byName.set(signal.name, signal);
  }

  /** Null for an unknown name or part. */
  find(name: string): FoundSignal | null {
    const whole = this.#byName.get(name);
    if (whole) return { name, signal: whole, places: whole.places };
    const [, base, first, second] = /^(.*)\[(\d{1,6})(?::(\d{1,6}))?\]$/s.exec(name) ?? [];
    const signal = this.#byName.get(base ?? '');
    if (!signal || first === undefined) return null;
    const from = bitOf(signal, Number(first));
    const to = bitOf(signal, Number(second ?? first));
    const [low, high] = from < to ? [from, to] : [to, from];
    if (low < 0 || high >= signal.places.length) return null;
    return { name, signal, places: signal.places.slice(low, high + 1) };
  }

  /** The existing signal whose name is most similar; null where none is. */
  nearest(name: string): string | null {
    const wanted = name.replace(/\[[\d:]*\]$/, '').toLowerCase();
    const last = wanted.slice(wanted.lastIndexOf('.') + 1);
    let best: string | null = null;
    let least = Math.max(2, Math.ceil(wanted.length / 3)) + 1;
    for (const [known, { places }] of this.#byName) {
      if (known === name || places.every((place) => place === null)) continue;
      const candidate = known.toLowerCase();
      // The same name elsewhere in the hierarchy is nearer than any misspelling.
      const same = candidate.slice(candidate.lastIndexOf('.') + 1) === last;
      if (!same && Math.abs(candidate.length - wanted.length) >= least) continue;
      const distance = same ? 0.5 : editDistance(candidate, wanted, least);
      if (distance >= least) continue;
      least = distance;
      best = known;
    }
    return best;
  }
}

/** The bit of an index in the source's range, lowest first; out of range for an index outside it. */
const bitOf = ({ low, ascending, places }: DesignSignal, index: number): number =>
  ascending ? low + places.length - 1 - index : index - low;
