import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, signalsOf } from '../../../renderer/src/screens/node/signals/decoders/decode.ts';
import {
  formOf,
  guessSignals,
  rowOf,
} from '../../../renderer/src/screens/node/signals/decoders/decoder-form.ts';
import { type Frame, frameTrace } from '../../../renderer/src/screens/node/signals/decoders/frames.ts';
import {
  framesCsv,
  matching,
  tableOf,
} from '../../../renderer/src/screens/node/signals/decoders/frames-csv.ts';
import { decodeI2c } from '../../../renderer/src/screens/node/signals/decoders/i2c.ts';
import { decodeSpi } from '../../../renderer/src/screens/node/signals/decoders/spi.ts';
import { decodeUart, guessBaud } from '../../../renderer/src/screens/node/signals/decoders/uart.ts';
import { decodeWishbone } from '../../../renderer/src/screens/node/signals/decoders/wishbone.ts';
import { Traces } from '../../../renderer/src/screens/node/signals/recording/trace.ts';
import type { DecoderRow } from '../../../server/contract/signals/decoders.ts';
import { captureOf } from '../../support/renderer/capture.ts';

/** Traces of signals with a value for each sample. */
const tracesOf = (signals: Record<string, number[]>, width: Record<string, number> = {}) =>
  new Traces(
    captureOf(
      Object.fromEntries(
        Object.entries(signals).map(([name, values]) => [name, { width: width[name] ?? 1, values }]),
      ),
    ),
  );
const traceOf = (values: number[]) => tracesOf({ line: values }).of('line')!;
const held = (value: number, samples: number): number[] => new Array<number>(samples).fill(value);
const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 20 });
const dataOf = (frames: readonly Frame[]) => frames.map(({ data }) => data);

describe('UART', () => {
  const HZ = 12e6;
  /** A line that sends words with pauses of some samples; bits need not last whole samples. */
  function line(
    words: readonly number[],
    {
      length,
      bits = 8,
      parity = 'none',
      stops = 1,
      pause = 0,
      ends = 40,
    }: {
      length: number;
      bits?: number;
      parity?: 'none' | 'even' | 'odd';
      stops?: number;
      pause?: number;
      ends?: number;
    },
  ): number[] {
    const levels: [value: number, length: number][] = [[1, 3 * length + 2]];
    for (const word of words) {
      const data = Array.from({ length: bits }, (_, bit) => (word >> bit) & 1);
      const ones = data.reduce((sum, bit) => sum + bit, 0);
      const check = parity === 'none' ? [] : [parity === 'odd' ? 1 - (ones % 2) : ones % 2];
      for (const bit of [0, ...data, ...check]) levels.push([bit, length]);
      levels.push([1, stops * length + pause]);
    }
    levels.push([1, ends]);
    const values: number[] = [];
    let at = 0;
    for (const [value, size] of levels) {
      at += size;
      while (values.length < Math.round(at)) values.push(value);
    }
    return values;
  }

  test.each(['none', 'even', 'odd'] as const)('decodes sent words, parity %s', (parity) =>
    fc.assert(
      fc.property(
        fc.array(fc.nat(511), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 5, max: 9 }),
        fc.double({ min: 4, max: 40, noNaN: true }),
        fc.nat(60),
        fc.boolean(),
        (words, bits, length, pause, inverted) => {
          const sent = words.map((word) => word & ((1 << bits) - 1));
          const values = line(sent, { length, bits, parity, pause });
          const frames = decodeUart(
            traceOf(inverted ? values.map((one) => 1 - one) : values),
            { data_bits: bits, parity, inverted, baud: HZ / length },
            HZ,
          );
          expect(dataOf(frames)).toEqual(sent);
          expect(frames.filter(({ error }) => error)).toEqual([]);
          frames.forEach(({ from, to }, index) => {
            expect(to).toBeGreaterThan(from);
            expect(frames[index + 1]?.from ?? Infinity).toBeGreaterThanOrEqual(to);
          });
        },
      ),
    ),
  );

  test('the baud rate is derived from the shortest pulses and rounded to a near standard rate', () => {
    expect(guessBaud(traceOf(line([0x55, 0x12, 0xf0], { length: 104 })), 12e6)).toBe(115_200);
    expect(guessBaud(traceOf(line([0x55], { length: 16 })), 12e6)).toBe(750_000);
    expect(guessBaud(traceOf(held(1, 100)), 12e6)).toBeNull();
    fc.assert(
      fc.property(bytes, fc.integer({ min: 4, max: 100 }), (sent, length) => {
        const frames = decodeUart(traceOf(line([0x55, ...sent], { length })), {}, 1000 * length);
        expect(dataOf(frames)).toEqual([0x55, ...sent]);
      }),
    );
  });

  test('a recording that begins within a byte synchronises', () =>
    fc.assert(
      fc.property(fc.nat(159), (cut) => {
        const text = [...'Hi! Hi! Hi! Hi! '].map((letter) => letter.charCodeAt(0));
        const frames = decodeUart(traceOf(line(text, { length: 16, pause: 32 }).slice(50 + cut)), {}, 12e6);
        expect(frames.filter(({ error }) => error)).toEqual([]);
        const found = dataOf(frames);
        expect(found).toEqual(text.slice(-found.length));
        expect(found.length).toBeGreaterThanOrEqual(text.length - 2);
      }),
    ));

  test('a missing stop bit, wrong parity and a break are reported; a truncated byte is omitted', () => {
    const rest = held(1, 100);
    const values = [...rest, ...line([0x41], { length: 10 })];
    const broken = [...values.slice(0, 132 + 90), ...held(0, 10), ...held(1, 40)];
    expect(decodeUart(traceOf(broken), { baud: 1000 }, 10_000)).toMatchObject([
      { data: 0x41, text: '0x41 A', error: 'framing' },
    ]);
    const even = [...rest, ...line([0x41], { length: 10, parity: 'even' })];
    expect(decodeUart(traceOf(even), { baud: 1000, parity: 'odd' }, 10_000)).toMatchObject([
      { error: 'parity' },
    ]);
    const low = [...held(1, 20), ...held(0, 300), ...held(1, 20)];
    expect(decodeUart(traceOf(low), { baud: 1000 }, 10_000)).toMatchObject([{ data: 0, error: 'break' }]);
    expect(decodeUart(traceOf(values.slice(0, 180)), { baud: 1000 }, 10_000)).toEqual([]);
  });
});

describe('SPI', () => {
  const bus = (words: readonly (readonly [number, number])[], mode: number, bits: number, lsb: boolean) => {
    const [rest, late] = [mode >> 1, mode & 1];
    const lines = { sck: [] as number[], mosi: [] as number[], miso: [] as number[], cs: [] as number[] };
    const put = (sck: number, mosi: number, miso: number, cs: number, samples = 2) => {
      lines.sck.push(...held(sck, samples));
      lines.mosi.push(...held(mosi, samples));
      lines.miso.push(...held(miso, samples));
      lines.cs.push(...held(cs, samples));
    };
    put(rest, 0, 0, 1, 3);
    for (const [out, back] of words) {
      put(rest, 0, 0, 0);
      for (let bit = 0; bit < bits; bit++) {
        const shift = lsb ? bit : bits - 1 - bit;
        const [mosi, miso] = [Math.floor(out / 2 ** shift) % 2, Math.floor(back / 2 ** shift) % 2];
        // Without phase the data is valid before the first edge; with it the first edge sets it.
        put(late ? 1 - rest : rest, mosi, miso, 0);
        put(late ? rest : 1 - rest, mosi, miso, 0);
      }
      put(rest, 0, 0, 0);
      put(rest, 0, 0, 1, 3);
    }
    return tracesOf(lines);
  };

  test('decodes sent words in every mode and both directions', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 2, max: 32 }),
        fc.boolean(),
        (pairs, mode, bits, lsb) => {
          const words = pairs.map(([out, back]) => [out % 2 ** bits, back % 2 ** bits] as const);
          const traces = bus(words, mode, bits, lsb);
          const of = (name: string) => traces.of(name)!;
          const frames = decodeSpi(
            { sck: of('sck'), mosi: of('mosi'), miso: of('miso'), cs: of('cs') },
            { mode, word_bits: bits, lsb_first: lsb },
          );
          expect(dataOf(frames)).toEqual(words.map(([out]) => out));
          expect(frames.map(({ text }) => Number(text.split(' / ')[1]))).toEqual(
            words.map(([, back]) => back),
          );
          const back = decodeSpi(
            { sck: of('sck'), miso: of('miso') },
            { mode, word_bits: bits, lsb_first: lsb },
          );
          expect(dataOf(back)).toEqual(words.map(([, one]) => one));
        },
      ),
    ));

  test('a word truncated by the chip select is an error', () => {
    const traces = bus([[0x5, 0]], 0, 3, false);
    const lines = { sck: traces.of('sck')!, mosi: traces.of('mosi')!, cs: traces.of('cs')! };
    expect(decodeSpi(lines, { word_bits: 8 })).toMatchObject([{ data: 5, error: 'short' }]);
  });
});

describe('I²C', () => {
  type Message = { address: number; read: boolean; data: number[]; refused?: boolean };
  const bus = (messages: readonly Message[], stops: boolean) => {
    const [scl, sda]: number[][] = [
      [1, 1],
      [1, 1],
    ];
    const put = (clock: number, data: number) => {
      scl!.push(clock, clock);
      sda!.push(data, data);
    };
    const bit = (value: number) => {
      put(0, value);
      put(1, value);
      put(0, value);
    };
    const byte = (value: number, ack: number) => {
      for (let k = 7; k >= 0; k--) bit((value >> k) & 1);
      bit(ack);
    };
    messages.forEach(({ address, read, data, refused }, index) => {
      // From a low clock, a repeated start first raises data, then the clock.
      if (index > 0 && !stops) put(0, 1);
      put(1, 1);
      put(1, 0);
      put(0, 0);
      byte((address << 1) | (read ? 1 : 0), refused ? 1 : 0);
      for (const [at, one] of data.entries()) byte(one, read && at === data.length - 1 ? 1 : 0);
      if (!stops && index < messages.length - 1) return;
      put(0, 0);
      put(1, 0);
      put(1, 1);
    });
    const traces = tracesOf({ scl: scl!, sda: sda! });
    return decodeI2c(traces.of('scl')!, traces.of('sda')!);
  };

  test('decodes sent messages with stops or repeated starts', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            address: fc.integer({ min: 0, max: 127 }),
            read: fc.boolean(),
            data: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 5 }),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        fc.boolean(),
        (messages, stops) => {
          const frames = bus(messages, stops);
          expect(frames.filter(({ error }) => error)).toEqual([]);
          expect(dataOf(frames).filter((one) => one !== null)).toEqual(
            messages.flatMap(({ address, data }) => [address, ...data]),
          );
          expect(frames.filter(({ text }) => text === 'P')).toHaveLength(stops ? messages.length : 1);
          expect(frames.filter(({ text }) => text === 'Sr')).toHaveLength(stops ? 0 : messages.length - 1);
        },
      ),
    ));

  test('addresses state their direction, and an unacknowledged one is an error', () => {
    expect(bus([{ address: 0x50, read: true, data: [0x3c] }], true).map(({ text }) => text)).toEqual([
      'S',
      '0x50 R ACK',
      '0x3C NACK',
      'P',
    ]);
    expect(bus([{ address: 0x51, read: false, data: [], refused: true }], true)[1]).toMatchObject({
      text: '0x51 W NACK',
      error: 'nack',
    });
  });
});

describe('Wishbone', () => {
  const access = fc.record({
    write: fc.boolean(),
    address: fc.nat(255),
    data: fc.nat(65_535),
    wait: fc.nat(4),
    pause: fc.nat(2),
    fails: fc.boolean(),
  });
  type Access = {
    write: boolean;
    address: number;
    data: number;
    wait: number;
    pause: number;
    fails: boolean;
  };
  const WIDTHS = { adr: 8, dat_w: 16, dat_r: 16 };
  const empty = () => ({
    ...{ cyc: [0], stb: [0], we: [0], adr: [0], dat_w: [0], dat_r: [0], ack: [0], err: [0], stall: [0] },
  });
  const expected = ({ write, address, data, fails }: Access) => [
    `${write ? 'W' : 'R'} 0x${address.toString(16).toUpperCase().padStart(2, '0')}`,
    fails && !write ? null : data,
    fails ? 'error' : undefined,
  ];
  const found = (frames: readonly Frame[]) =>
    frames.map(({ text, data, error }) => [text.split(' = ')[0], data, error]);

  test('classic: decodes every access on the bus', () =>
    fc.assert(
      fc.property(fc.array(access, { minLength: 1, maxLength: 10 }), (accesses) => {
        const lines = empty();
        for (const { write, address, data, wait, pause, fails } of accesses) {
          for (let k = 0; k <= wait; k++) {
            const ends = k === wait;
            lines.cyc.push(1);
            lines.stb.push(1);
            lines.we.push(write ? 1 : 0);
            lines.adr.push(address);
            lines.dat_w.push(write ? data : 0);
            lines.dat_r.push(ends && !write ? data : 0);
            lines.ack.push(ends && !fails ? 1 : 0);
            lines.err.push(ends && fails ? 1 : 0);
          }
          for (let k = 0; k < pause; k++)
            for (const [name, line] of Object.entries(lines)) if (name !== 'stall') line.push(0);
        }
        const { stall: _, ...classic } = lines;
        for (const line of Object.values(classic)) line.push(0);
        const traces = tracesOf(classic, WIDTHS);
        const of = (name: string) => traces.of(name)!;
        const frames = decodeWishbone({
          ...{ cyc: of('cyc'), stb: of('stb'), we: of('we'), adr: of('adr'), dat_w: of('dat_w') },
          ...{ dat_r: of('dat_r'), ack: of('ack'), err: of('err') },
        });
        expect(found(frames)).toEqual(accesses.map(expected));
      }),
    ));

  test('pipelined: responses match requests in order', () => {
    const traces = tracesOf(
      {
        ...{ cyc: [0, 1, 1, 1, 1, 1, 0], stb: [0, 1, 1, 1, 0, 0, 0], we: [0, 0, 0, 0, 0, 0, 0] },
        ...{ adr: [0, 1, 2, 2, 0, 0, 0], dat_r: [0, 0, 0, 7, 0, 8, 0], ack: [0, 0, 0, 1, 0, 1, 0] },
        stall: [0, 0, 1, 0, 0, 0, 0],
      },
      { adr: 4, dat_r: 4 },
    );
    const of = (name: string) => traces.of(name)!;
    const frames = decodeWishbone({
      ...{ cyc: of('cyc'), stb: of('stb'), we: of('we'), adr: of('adr'), dat_r: of('dat_r') },
      ...{ ack: of('ack'), stall: of('stall') },
    });
    expect(frames.map(({ text }) => text)).toEqual(['R 0x1 = 0x7', 'R 0x2 = 0x8']);
  });

  test('a cycle that ends without an acknowledge is reported', () => {
    const traces = tracesOf({ cyc: [0, 1, 1, 0], ack: [0, 0, 0, 0] });
    expect(decodeWishbone({ cyc: traces.of('cyc')!, ack: traces.of('ack')! })).toMatchObject([
      { from: 1, to: 3, error: 'unanswered' },
    ]);
  });
});

test('frames become the pieces of a row, with gaps between them', () => {
  const frames = [
    { from: 2, to: 5, text: 'a', data: 1 },
    { from: 5, to: 6, text: 'b', data: 2 },
    { from: 8, to: 10, text: 'c', data: 3 },
  ];
  const trace = frameTrace(frames, 12);
  expect([...trace.starts]).toEqual([0, 2, 5, 6, 8, 10]);
  expect([0, 1, 2, 3, 4, 5].map((piece) => trace.frame(piece)?.text)).toEqual([
    undefined,
    'a',
    'b',
    undefined,
    'c',
    undefined,
  ]);
  expect([...frameTrace([], 12).starts]).toEqual([0]);
});

describe('a decoder of the view', () => {
  const NAMES = [
    'count',
    'spi.sck',
    'spi.mosi',
    'spi.cs_n',
    'uart_tx',
    'wb_cyc',
    'wb_ack',
    'wb_adr',
    'bus.cyc',
  ];

  test('its signals are guessed from their names', () => {
    expect(guessSignals('spi', NAMES)).toEqual({ sck: 'spi.sck', mosi: 'spi.mosi', cs: 'spi.cs_n' });
    expect(guessSignals('uart', NAMES)).toEqual({ line: 'uart_tx' });
    expect(guessSignals('wishbone', NAMES)).toEqual({ cyc: 'wb_cyc', ack: 'wb_ack', adr: 'wb_adr' });
    expect(guessSignals('i2c', NAMES)).toEqual({});
  });

  test('a row is converted to its form and back', () => {
    const rows: DecoderRow[] = [
      {
        ...{ kind: 'decoder', protocol: 'uart', line: 'uart_tx', baud: 9600, data_bits: 7, parity: 'odd' },
        ...{ stop_bits: 2, inverted: true, title: 'Console' },
      },
      {
        ...{ kind: 'decoder', protocol: 'spi', sck: 'spi.sck', mosi: 'spi.mosi', mode: 3, word_bits: 12 },
        lsb_first: true,
      },
      { kind: 'decoder', protocol: 'i2c', scl: 'count', sda: 'uart_tx' },
      { kind: 'decoder', protocol: 'wishbone', cyc: 'wb_cyc', ack: 'wb_ack', adr: 'wb_adr' },
    ];
    for (const row of rows) expect(rowOf(formOf(row, NAMES), () => true)).toEqual({ row });
  });

  test('the form reports its errors', () => {
    const form = { ...formOf(undefined, NAMES), baud: '-1' };
    expect(rowOf(form, () => true)).toHaveProperty('problems.baud');
    expect(rowOf(form, () => false)).toHaveProperty('problems.line');
    expect(rowOf({ ...form, protocol: 'spi', signals: { sck: 'a' } }, () => true)).toHaveProperty(
      'problems.mosi',
    );
  });

  test('decodes recorded signals, and names missing ones', () => {
    const row: DecoderRow = { kind: 'decoder', protocol: 'i2c', scl: 'scl', sda: 'sda' };
    expect(signalsOf(row)).toEqual(['scl', 'sda']);
    expect(decode(row, tracesOf({ scl: [1, 1, 1] }))).toEqual({ missing: ['sda'] });
    const found = decode(row, tracesOf({ scl: [1, 1, 1], sda: [1, 0, 0] }));
    expect('frames' in found && found.frames.frames.map(({ text }) => text)).toEqual(['S']);
  });

  test('its frames are searched and saved as a table', () => {
    const rows = tableOf([
      { title: 'A', frames: [{ from: 12, to: 20, text: '0x48 H', data: 0x48 }] },
      { title: 'B', frames: [{ from: 0, to: 2, text: '0x50 W NACK', data: 0x50, error: 'nack' }] },
    ]);
    expect(rows.map(({ title }) => title)).toEqual(['B', 'A']);
    expect(matching(rows, 'nobody')).toEqual([]);
    expect(matching(rows, ' no device ')).toEqual([rows[0]]);
    expect(matching(rows, '0x48')).toEqual([rows[1]]);
    const { view } = tracesOf({ a: held(0, 24) }).samples;
    expect(framesCsv(view, rows).split('\r\n')).toEqual([
      'start_s,end_s,start_sample,row,content,data,problem',
      '0.000000000e+0,1.666666667e-7,0,B,0x50 W NACK,0x50,No device answers',
      '1.000000000e-6,1.666666667e-6,12,A,0x48 H,0x48,',
      '',
    ]);
  });
});
