/** Consecutive words from a byte offset. */
export interface Segment {
  /** Bytes from the start of the file's place; a multiple of 4. */
  offset: number;
  words: readonly number[];
}

/** Why a file cannot be used, with its line. */
type WordFileProblem =
  | { kind: 'empty' }
  | { kind: 'too-large' }
  | { kind: 'line'; line: number; what: string };

/** Maximum words of a file. */
const MAX_WORDS = 1 << 20;

/** Groups words by offset into segments, in order. */
function toSegments(words: ReadonlyMap<number, number>): Segment[] {
  const segments: { offset: number; words: number[] }[] = [];
  for (const [offset, word] of [...words].sort(([a], [b]) => a - b)) {
    const last = segments.at(-1);
    if (last && last.offset + 4 * last.words.length === offset) last.words.push(word);
    else segments.push({ offset, words: [word] });
  }
  return segments;
}

type Read = { segments: Segment[] } | { problem: WordFileProblem };

const bad = (line: number, what: string): Read => ({ problem: { kind: 'line', line, what } });

/** Raw bytes, lowest first; zeros fill the last word. */
function fromBytes(bytes: Uint8Array): Read {
  const padded = new Uint8Array(4 * Math.ceil(bytes.length / 4));
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  return {
    segments: [
      {
        offset: 0,
        words: Array.from({ length: padded.length / 4 }, (_, index) => view.getUint32(4 * index, true)),
      },
    ],
  };
}

/** A `$readmemh` file (IEEE 1364-2005, section 17.2.9): words in hex, `@` with a word address in hex, comments. */
function fromReadmemh(text: string): Read {
  const words = new Map<number, number>();
  // Remove comments but keep line ends: a problem names the file's own line.
  const plain = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/\/\/[^\n]*/g, '');
  let at = 0;
  for (const [index, line] of plain.split('\n').entries())
    for (const part of line.split(/\s+/).filter((one) => one !== '')) {
      const digits = part.replace(/^@/, '').replaceAll('_', '');
      const value = /^[0-9a-f]{1,8}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
      if (value === undefined || (part.startsWith('@') && value > 0x3fff_ffff)) return bad(index + 1, part);
      if (part.startsWith('@')) at = value;
      else {
        words.set(4 * at, value);
        at += 1;
      }
      if (words.size > MAX_WORDS) return { problem: { kind: 'too-large' } };
    }
  return { segments: toSegments(words) };
}

/** Intel HEX, with extended segment and linear addresses; missing bytes of a word are zero. */
function fromIntelHex(text: string): Read {
  const words = new Map<number, number>();
  let base = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const record = line.trim();
    if (record === '') continue;
    const match = /^:((?:[0-9a-f]{2}){5,})$/i.exec(record);
    const bytes = match?.[1]?.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
    const [length = -1, high = 0, low = 0, type = -1] = bytes;
    const sum = bytes.reduce((total, byte) => total + byte, 0) & 0xff;
    if (bytes.length !== length + 5 || sum !== 0 || type > 5 || type < 0)
      return bad(index + 1, record.slice(0, 40));
    const data = bytes.slice(4, -1);
    const value = data.reduce((all, byte) => all * 256 + byte, 0);
    if (type === 1) break;
    if (type === 2) base = value * 16;
    else if (type === 4) base = value * 65_536;
    else if (type === 0)
      for (const [nth, byte] of data.entries()) {
        const address = base + high * 256 + low + nth;
        const offset = address - (address % 4);
        words.set(offset, ((words.get(offset) ?? 0) | (byte << (8 * (address % 4)))) >>> 0);
      }
    if (words.size > MAX_WORDS) return { problem: { kind: 'too-large' } };
  }
  return { segments: toSegments(words) };
}

/**
 * Parses a file of words: Intel HEX if its lines begin with a colon, `$readmemh` for `.hex`, `.mem`, `.memh` and
 * `.txt`, else raw bytes.
 */
export function readWordFile(name: string, bytes: Uint8Array): Read {
  if (bytes.length > 16 * MAX_WORDS) return { problem: { kind: 'too-large' } };
  const isText = /\.(hex|ihex|ihx|mem|memh|txt|dat)$/i.test(name);
  const text = isText ? new TextDecoder().decode(bytes) : '';
  const read = !isText
    ? fromBytes(bytes)
    : text.trimStart().startsWith(':')
      ? fromIntelHex(text)
      : fromReadmemh(text);
  if ('problem' in read) return read;
  const count = read.segments.reduce((all, { words }) => all + words.length, 0);
  if (count === 0) return { problem: { kind: 'empty' } };
  return count > MAX_WORDS ? { problem: { kind: 'too-large' } } : read;
}
