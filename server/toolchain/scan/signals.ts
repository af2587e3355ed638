/** A run of bits inside an RTLIL signal: bits `at`… of the whole are bits `low`… of `wire` (or constant bits). */
export interface Chunk {
  wire: string | null;
  low: number;
  width: number;
  at: number;
  /** Constant bits, most significant first. */
  bits: string;
}

const CHUNK = /(\d+)'([01xzm-]+)|(-?\d+)(?![\w'])|([\\$]\S+)((?: \[\d+(?::\d+)?\])*)/g;

/** Splits a signal (`\a [3:0]`, `{ 2'00 \a }`, `4'1010`, `12`) into its chunks, the least significant first. */
export function chunksOf(signal: string, widthOf: (wire: string) => number): Chunk[] {
  const found: Omit<Chunk, 'at'>[] = [];
  for (const match of signal.matchAll(CHUNK)) {
    const [, , bits, decimal, wire, slices] = match;
    if (bits !== undefined)
      found.push({ wire: null, low: 0, width: Number(match[1]), bits: pad(bits, Number(match[1])) });
    else if (decimal !== undefined)
      found.push({
        wire: null,
        low: 0,
        width: 32,
        bits: (Number(decimal) >>> 0).toString(2).padStart(32, '0'),
      });
    else if (wire !== undefined) {
      let low = 0;
      let width = widthOf(wire);
      for (const [, high, bottom] of (slices ?? '').matchAll(/\[(\d+)(?::(\d+))?\]/g)) {
        const from = Number(bottom ?? high);
        width = Number(high) - from + 1;
        low += from;
      }
      found.push({ wire, low, width, bits: '' });
    }
  }
  let at = 0;
  const chunks: Chunk[] = [];
  for (const chunk of found.reverse()) {
    chunks.push({ ...chunk, at });
    at += chunk.width;
  }
  return chunks;
}

const pad = (bits: string, width: number) => bits.padStart(width, bits[0] === 'x' ? 'x' : '0');
