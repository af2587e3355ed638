import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../contract/check.ts';
import { editDistance } from '../text.ts';

/** Signals that are kept of a design, and bits of all of them together: what is beyond is left out and said. */
export const MAX_SIGNALS = 20_000;
export const MAX_BITS = 200_000;

/**
 * Where a bit is in the chip: the output of a logic cell (`x12y7/lc3`: its flip-flop, or its look-up table where it has
 * none), the look-up table in front of a cell's flip-flop (`x12y7/lc3/d`), a data pin of a block RAM (`x8y3/ram[5]`), a
 * pad (`x33y16/io1`), or a constant (`0`, `1`). Null for a bit that was optimised away.
 */
const Place = Type.Union([Type.String({ maxLength: 32 }), Type.Null()]);
export type Place = Static<typeof Place>;

const DesignSignal = Type.Object({
  /** Hierarchical, as in the user's source: `fifo.count`. */
  name: Type.String(),
  /** All bits that are left are outputs of flip-flops, of block RAMs, or anything. */
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

/** Names of what a build has left of a design, and where it is in the chip. */
const DesignSymbols = Type.Object({
  version: Type.Literal(1),
  signals: Type.Array(DesignSignal),
  /** What the bench speaks to the design over, under names of its own: `bus.cyc`. */
  bus: Type.Array(DesignSignal),
  /** Signals that were more than are kept. */
  left_out: Type.Integer(),
});
export type DesignSymbols = Static<typeof DesignSymbols>;

const isSymbols = checkOf(DesignSymbols);

/** As it is kept with a build: JSON, compressed. */
export function encodeSymbols(symbols: DesignSymbols): Uint8Array {
  return brotliCompressSync(JSON.stringify(symbols), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
  });
}

/** Bytes that decoded symbols may have; the largest that are kept have a fifth of it. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What `encodeSymbols` wrote; null for anything else. */
export function decodeSymbols(bytes: Uint8Array): DesignSymbols | null {
  let text: string;
  try {
    text = brotliDecompressSync(bytes, { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    return null;
  }
  return parseAs(text, isSymbols);
}

/** A signal by its name, or a part of one as Verilog writes it: `count`, `count[3]`, `count[7:4]`. */
export interface FoundSignal {
  /** As it was asked for. */
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

  /** Null for a name or a part that there is not. */
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

  /** The name of a signal of which something is left that is most like another name; null where none is. */
  nearest(name: string): string | null {
    const wanted = name.replace(/\[[\d:]*\]$/, '').toLowerCase();
    const last = wanted.slice(wanted.lastIndexOf('.') + 1);
    let best: string | null = null;
    let least = Math.max(2, Math.ceil(wanted.length / 3)) + 1;
    for (const [known, { places }] of this.#byName) {
      if (known === name || places.every((place) => place === null)) continue;
      const candidate = known.toLowerCase();
      // The same name somewhere else in the hierarchy is nearer than any misspelling.
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

/** Which bit an index of the source's range is, lowest first; out of range for one that is not in it. */
const bitOf = ({ low, ascending, places }: DesignSignal, index: number): number =>
  ascending ? low + places.length - 1 - index : index - low;
