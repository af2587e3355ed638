import type { DecoderRow, Protocol } from '../../../../../../server/contract/signals/decoders.ts';
import type { SignalTrace, Traces } from '../recording/trace.ts';
import { type FrameTrace, frameTrace } from './frames.ts';
import { decodeI2c } from './i2c.ts';
import { decodeSpi } from './spi.ts';
import { decodeUart, guessBaud } from './uart.ts';
import { decodeWishbone } from './wishbone.ts';

/** The signals of a protocol; those with a question mark may be absent. */
const ROLES = {
  uart: ['line'],
  spi: ['sck', 'mosi?', 'miso?', 'cs?'],
  i2c: ['scl', 'sda'],
  wishbone: ['cyc', 'stb?', 'we?', 'adr?', 'dat_w?', 'dat_r?', 'ack', 'err?', 'stall?'],
} as const satisfies Record<Protocol, readonly string[]>;

/** The name of a role in a row, and whether a row needs it. */
export const rolesOf = (protocol: Protocol): { role: string; needed: boolean }[] =>
  ROLES[protocol].map((role) => ({ role: role.replace('?', ''), needed: !role.endsWith('?') }));

/** The signal of a role; undefined where it has none. */
export function signalOf(row: DecoderRow, role: string): string | undefined {
  const value: unknown = Object.entries(row).find(([key]) => key === role)?.[1];
  return typeof value === 'string' ? value : undefined;
}

/** The signals that a decoder reads. */
export const signalsOf = (row: DecoderRow): string[] =>
  rolesOf(row.protocol).flatMap(({ role }) => signalOf(row, role) ?? []);

/** Decoded frames; or the signals that the recording lacks. */
export type Decoded = { frames: FrameTrace; baud?: number } | { missing: readonly string[] };

/** Decodes a recording. */
export function decode(row: DecoderRow, traces: Traces): Decoded {
  const missing = signalsOf(row).filter((name) => traces.of(name) === undefined);
  if (missing.length > 0) return { missing };
  const { view } = traces.samples;
  const line = (name: string): SignalTrace => {
    const trace = traces.of(name);
    if (!trace) throw new RangeError(`${name} was not recorded.`);
    return trace;
  };
  const maybe = (name: string | undefined) => (name === undefined ? undefined : line(name));
  const hz = view.clock_hz / view.every;
  const framed = (frames: Parameters<typeof frameTrace>[0]) => frameTrace(frames, view.samples);
  switch (row.protocol) {
    case 'uart': {
      const baud = row.baud ?? guessBaud(line(row.line), hz) ?? undefined;
      return { frames: framed(decodeUart(line(row.line), row, hz)), ...(baud && { baud }) };
    }
    case 'spi':
      return {
        frames: framed(
          decodeSpi(
            { sck: line(row.sck), mosi: maybe(row.mosi), miso: maybe(row.miso), cs: maybe(row.cs) },
            row,
          ),
        ),
      };
    case 'i2c':
      return { frames: framed(decodeI2c(line(row.scl), line(row.sda))) };
    case 'wishbone': {
      const { cyc, ack, stb, we, adr, dat_w, dat_r, err, stall } = row;
      return {
        frames: framed(
          decodeWishbone({
            ...{ cyc: line(cyc), ack: line(ack), stb: maybe(stb), we: maybe(we), adr: maybe(adr) },
            ...{ dat_w: maybe(dat_w), dat_r: maybe(dat_r), err: maybe(err), stall: maybe(stall) },
          }),
        ),
      };
    }
  }
}
