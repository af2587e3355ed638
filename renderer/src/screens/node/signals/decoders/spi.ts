import type { DecoderOf } from '../../../../../../server/contract/signals/decoders.ts';
import { pieceAt, type SignalTrace } from '../recording/trace.ts';
import { type Frame, hex, Walker } from './frames.ts';

type Settings = Pick<DecoderOf<'spi'>, 'mode' | 'word_bits' | 'lsb_first'>;

/** The signals of an SPI bus; one of the data lines is enough. */
export interface SpiLines {
  sck: SignalTrace;
  mosi?: SignalTrace | undefined;
  miso?: SignalTrace | undefined;
  cs?: SignalTrace | undefined;
}

/** The words on an SPI bus. A word that `cs` cuts off is an error; one that the recording cuts off is no frame. */
export function decodeSpi({ sck, mosi, miso, cs }: SpiLines, settings: Settings): Frame[] {
  const { mode = 0, word_bits: bits = 8, lsb_first: isLsbFirst = false } = settings;
  // Polarity and phase: modes 0 and 3 sample at the rising edge, 1 and 2 at the falling one.
  const sampled = mode === 0 || mode === 3 ? 1 : 0;
  const frames: Frame[] = [];
  const [out, back] = [mosi && new Walker(mosi), miso && new Walker(miso)];
  let [count, from, sent, received] = [0, 0, 0, 0];
  let selection = -1;
  const take = (value: number, word: number): number =>
    isLsbFirst ? word + value * 2 ** count : word * 2 + value;
  const finish = (to: number, error?: 'short') => {
    const words = [...(out ? [sent] : []), ...(back ? [received] : [])];
    const text = words.map((word) => hex(word, error ? count : bits)).join(' / ');
    frames.push({ from, to, text, data: words[0] ?? null, ...(error && { error }) });
    [count, sent, received] = [0, 0, 0];
  };
  /** A word that began before the recording is none. */
  const cut = (to: number) => {
    if (selection > 0) finish(to, 'short');
    [count, sent, received] = [0, 0, 0];
  };
  for (let piece = 1; piece < sck.starts.length; piece++) {
    const at = sck.starts[piece] ?? 0;
    if (sck.value(piece) !== sampled) continue;
    if (cs) {
      const now = pieceAt(cs, at);
      if (now !== selection && count > 0) cut(cs.starts[selection + 1] ?? at);
      selection = now;
      if (cs.value(now) !== 0) continue;
    }
    if (count === 0) from = at;
    sent = take(out?.at(at) ?? 0, sent);
    received = take(back?.at(at) ?? 0, received);
    count += 1;
    const after = sck.starts[piece + 1] ?? sck.end;
    if (count === bits) finish(after);
  }
  if (cs && count > 0 && selection + 1 < cs.starts.length) cut(cs.starts[selection + 1] ?? 0);
  return frames;
}
