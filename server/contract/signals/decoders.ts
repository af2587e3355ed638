import Type, { type Static } from 'typebox';
import { enumOf } from '../component.ts';
import { SignalName } from './signals.ts';

const strict = { additionalProperties: false } as const;
const shared = {
  kind: Type.Literal('decoder'),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
};
const optional = Type.Optional(SignalName);

const Uart = Type.Object(
  {
    ...shared,
    protocol: Type.Literal('uart'),
    line: SignalName,
    baud: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000_000,
        description: 'When absent, it is found in the recording.',
      }),
    ),
    data_bits: Type.Optional(Type.Integer({ minimum: 5, maximum: 9, default: 8 })),
    parity: Type.Optional(enumOf(['none', 'even', 'odd'])),
    stop_bits: Type.Optional(Type.Integer({ minimum: 1, maximum: 2, default: 1 })),
    inverted: Type.Optional(Type.Boolean({ description: 'The line is low when idle.' })),
  },
  { ...strict, description: 'A serial line.' },
);

const Spi = Type.Object(
  {
    ...shared,
    protocol: Type.Literal('spi'),
    sck: SignalName,
    mosi: optional,
    miso: optional,
    cs: Type.Optional(SignalName),
    mode: Type.Optional(Type.Integer({ minimum: 0, maximum: 3, default: 0 })),
    word_bits: Type.Optional(Type.Integer({ minimum: 2, maximum: 32, default: 8 })),
    lsb_first: Type.Optional(Type.Boolean()),
  },
  { ...strict, description: 'An SPI bus; `cs` is low while a word is transferred.' },
);

const I2c = Type.Object(
  { ...shared, protocol: Type.Literal('i2c'), scl: SignalName, sda: SignalName },
  { ...strict, description: 'An I²C bus with addresses of 7 bits.' },
);

const WishboneBus = Type.Object(
  {
    ...shared,
    protocol: Type.Literal('wishbone'),
    ...{ cyc: SignalName, ack: SignalName },
    ...{ stb: optional, we: optional, adr: optional, dat_w: optional, dat_r: optional, err: optional },
    stall: Type.Optional(SignalName),
  },
  { ...strict, description: 'A Wishbone bus of the design: classic, or pipelined if it has `stall`.' },
);

/** A protocol decoder on the waveform view: its signals and settings. */
export const DecoderRow = Type.Union([Uart, Spi, I2c, WishboneBus]);
export type DecoderRow = Static<typeof DecoderRow>;
export type Protocol = DecoderRow['protocol'];
export type DecoderOf<P extends Protocol> = Extract<DecoderRow, { protocol: P }>;
