import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composeExchange, verifyAnswer } from '../../../../server/wishbone/exchange.ts';
import { describeFault } from '../../../../server/wishbone/fault.ts';
import { STATUS_READ } from '../../../../server/wishbone/identity-block.ts';
import { decodeWords, encodeFrame, type Frame } from '../../../../server/wishbone/uartbone.ts';
import { GatewareModel } from '../../../support/wishbone/gateware-model.ts';

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const byteAddress = fc.integer({ min: 0, max: 0x3bff_ff00 }).map((index) => index * 4);
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    byteAddress,
    fixed: fc.boolean(),
    data: fc.array(word, { minLength: 1, maxLength: 255 }).map((words) => Uint32Array.from(words)),
  }),
  fc.record({
    kind: fc.constant('read' as const),
    byteAddress,
    fixed: fc.boolean(),
    words: fc.integer({ min: 1, max: 255 }),
  }),
);

/** A model whose design answers a read with its address and remembers every access. */
function recorder() {
  const log: (readonly ['read' | 'write', number, number])[] = [];
  const identity = { version: 1, clockHz: 12e6, baud: 3e6, buildId: '0'.repeat(16) };
  const model = new GatewareModel(identity, {
    read(address) {
      log.push(['read', address, ~address >>> 0]);
      return ~address >>> 0;
    },
    write(address, value) {
      log.push(['write', address, value]);
      return 0;
    },
  });
  const play = (bytes: Uint8Array) => Uint8Array.from([...bytes].flatMap((byte) => model.receive(byte)));
  return { log, play };
}

test('the four commands are on the wire as LiteX defines them', () => {
  const bytes = (...frames: Frame[]) => frames.map((each) => Buffer.from(encodeFrame(each)).toString('hex'));
  const data = Uint32Array.of(0x01020304, 0xfffefdfc);
  expect(
    bytes(
      { kind: 'write', byteAddress: 0x10, fixed: false, data },
      { kind: 'read', byteAddress: 0xf000_0000, fixed: false, words: 255 },
      { kind: 'write', byteAddress: 4, fixed: true, data },
      { kind: 'read', byteAddress: 0, fixed: true, words: 1 },
    ),
  ).toEqual(['01020000000401020304fffefdfc', '02ff3c000000', '03020000000101020304fffefdfc', '040100000000']);
});

test('a frame performs the specified bus accesses', () => {
  fc.assert(
    fc.property(frame, (each) => {
      const { log, play } = recorder();
      const answer = decodeWords(play(encodeFrame(each)));
      const count = each.kind === 'read' ? each.words : each.data.length;
      const expected = Array.from({ length: count }, (_, i) => {
        const address = each.byteAddress + (each.fixed ? 0 : 4 * i);
        return [each.kind, address, each.kind === 'read' ? ~address >>> 0 : each.data[i]];
      });
      expect(log).toEqual(expected);
      expect([...answer]).toEqual(each.kind === 'read' ? expected.map(([, , value]) => value) : []);
    }),
  );
});

test('values that do not fit into a frame are refused', () => {
  const read = { kind: 'read', fixed: false } as const;
  for (const words of [0, 256, 1.5, Number.NaN])
    expect(() => encodeFrame({ ...read, byteAddress: 0, words })).toThrow(RangeError);
  for (const address of [-4, 2, 0x1_0000_0000, Number.NaN])
    expect(() => encodeFrame({ ...read, byteAddress: address, words: 1 })).toThrow(RangeError);
  const write = { kind: 'write', byteAddress: 0, data: Uint32Array.of(7) } as const;
  for (const select of [0, 16, 1.5]) {
    expect(() => encodeFrame({ ...write, fixed: false, select })).toThrow(RangeError);
    // Without a next address there is no place in the command for it.
    expect(() => encodeFrame({ ...write, fixed: true, select: 3 })).toThrow(RangeError);
  }
  expect(encodeFrame({ ...write, fixed: true, select: 15 })).toEqual(encodeFrame({ ...write, fixed: true }));
});

test('a fault is described by its kind and its address', () => {
  expect(describeFault({ kind: 'timeout', byteAddress: 0x40 })).toEqual({
    ...{ code: 'bus_timeout', message: 'No acknowledge from the design at 0x00000040.', address: 0x40 },
  });
  expect(describeFault({ kind: 'error', byteAddress: 0x8000_0000 })).toMatchObject({
    ...{ code: 'bus_error', message: 'The design answered with err at 0x80000000.' },
  });
});

test('an exchange is accepted exactly if it is what the board processed', () => {
  const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(
      fc.array(frame, { minLength: 1, maxLength: 3 }),
      change,
      fc.boolean(),
      (frames, { at, by }, there) => {
        const exchange = composeExchange([...frames, STATUS_READ]);
        const answer = recorder().play(exchange.request);
        expect(answer).toHaveLength(exchange.answerLength);
        expect(verifyAnswer(exchange, answer, { version: 3 })).not.toBeNull();
        // One changed byte, towards the board or back.
        const bytes = Uint8Array.from(there ? exchange.request : answer);
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ by;
        const other = there ? recorder().play(bytes) : bytes;
        if (other.length === answer.length) expect(verifyAnswer(exchange, other, { version: 3 })).toBeNull();
      },
    ),
  );
});

test('the CRC may be read in the middle of an exchange', () => {
  const block: Frame = { kind: 'read', byteAddress: 0xf000_0030, words: 30, fixed: false };
  const crcs: Frame = { kind: 'read', byteAddress: 0xf000_007c, words: 3, fixed: true };
  const exchange = composeExchange([STATUS_READ, block, crcs, STATUS_READ]);
  const answer = recorder().play(exchange.request);
  expect(verifyAnswer(exchange, answer, { version: 3 })).not.toBeNull();
  for (let at = 0; at < answer.length; at++) {
    const wrong = answer.slice();
    wrong[at] = (wrong[at] ?? 0) ^ 0x10;
    expect(verifyAnswer(exchange, wrong, { version: 3 })).toBeNull();
  }
});
