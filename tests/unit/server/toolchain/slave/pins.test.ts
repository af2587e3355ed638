import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MatchedDesign, Port } from '../../../../../server/contract/designs/uploads.ts';
import { bindPorts } from '../../../../../server/toolchain/build/wrap/bound-ports.ts';
import { wrapDesign } from '../../../../../server/toolchain/build/wrap/wrap.ts';
import { readBoardFile, wishesOf } from '../../../../../server/toolchain/slave/board-file.ts';
import { describeMatch } from '../../../../../server/toolchain/slave/explain.ts';
import {
  choosePins,
  initialBits,
  MAX_PIN_BITS,
  pinBits,
} from '../../../../../server/toolchain/slave/pins.ts';
import { moduleOf, port } from '../../../../support/toolchain/slave/dialects.ts';
import { matched, opencores } from '../../../../support/toolchain/slave/matched.ts';

const widths = fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 40 });

/** Pins without wishes: there is nothing to refuse. */
const chosen = (...asked: Parameters<typeof choosePins>) => {
  const choice = choosePins(...asked);
  if ('problem' in choice) throw new Error(choice.problem);
  return choice.pins;
};

const ties = (of: readonly number[]): MatchedDesign['ties'] =>
  of.map((width, i) => ({ port: `i${i}`, width, value: i % 2 === 0 ? 0 : 1, reason: '' }));
const outputs = (of: readonly number[]): Port[] =>
  of.map((width, i) => ({ name: `o${i}`, direction: 'output', width, offset: 0 }));

test('pins follow the order of the source, without overlap, at most 64 bits a direction', () => {
  fc.assert(
    fc.property(widths, widths, (ins, outs) => {
      const pins = chosen(ties(ins), outputs(outs));
      for (const direction of ['input', 'output'] as const) {
        const own = pins.filter((pin) => pin.direction === direction);
        let next = 0;
        for (const { at, width } of own) {
          expect(at).toBe(next);
          next += width;
        }
        expect(next).toBeLessThanOrEqual(MAX_PIN_BITS);
        expect(pinBits(pins)[direction === 'input' ? 'inputs' : 'outputs']).toBe(next);
        // The omitted ports would not have fitted in their place.
        const all = direction === 'input' ? ins : outs;
        const left = all.filter((_, i) => !own.some(({ name }) => name === `${direction[0]}${i}`));
        for (const width of left) expect(width + next).toBeGreaterThan(MAX_PIN_BITS);
      }
    }),
  );
});

test('a design with 2,000 extra ports gets those that fit, and the log names some of the others', () => {
  const [ins, outs] = ['i', 'o'].map((of) => Array.from({ length: 1000 }, (_, k) => `${of}${k}`));
  const others = [...ins!.map((name) => port(name)), ...outs!.map((name) => port(name, 'output'))];
  const design = matched(moduleOf(opencores, [...others, port('wide[999:0]')]));
  expect(design.pins?.map(({ name }) => name)).toEqual([
    ...ins!.slice(0, MAX_PIN_BITS),
    ...outs!.slice(0, MAX_PIN_BITS),
  ]);
  expect([design.ties.length, design.open.length]).toEqual([1001, 936]);
  const text = wrapDesign(design);
  expect(text).toContain('.\\i63 (pins_to_design[63:63])');
  expect(text).toContain(".\\i64 (1'b0)");
  expect(text).toContain('.\\o63 (pins_from_design[63:63])');
  expect(text).toContain('.\\o64 ()');
  expect(text.match(/^ {4}\.\\[io]\d+ /gm)).toHaveLength(2000);
  const said = describeMatch(design).filter((line) => / tied |left open|port block/.test(line));
  expect(said).toHaveLength(35);
  expect(said).toEqual(
    expect.arrayContaining([
      'input i64 tied to 0: an input outside the bus',
      'and 905 more inputs tied to the levels that their names suggest, else to 0',
      'the port block has 64 bits in and 64 out; a port becomes a pin only if all of it fits',
    ]),
  );
  expect(said.at(-1)).toMatch(/^left open: o64, .*, o95 and 904 more$/);
});

test('a submit sets a pin’s initial value or binds it to pins of the board', () => {
  const [ins, outs] = [ties([8, 1, 60]), outputs([8, 60])];
  const pins = chosen(ins, outs, { I0: '0x2A', i1: 0, o0: 'LED0, B4 C5 C4 B3 C3 A1 A2' });
  expect(pins).toEqual([
    { name: 'i0', direction: 'input', width: 8, at: 0, high: false, initial: '0x2a' },
    { name: 'i1', direction: 'input', width: 1, at: 8, high: true, initial: '0x0' },
    {
      ...{ name: 'o0', direction: 'output', width: 8, at: 0, high: false },
      bound: ['LED0', 'B4', 'C5', 'C4', 'B3', 'C3', 'A1', 'A2'],
    },
  ]);
  expect(initialBits(pins)).toBe(0x2an);
  // The board drives a bound input: the port block samples it, before all others.
  const bound = chosen(ties([2]), outputs([63]), { i0: 'B5 B4' });
  expect(bound).toEqual([
    { name: 'i0', direction: 'input', width: 2, at: 0, high: false, bound: ['B5', 'B4'] },
  ]);
  expect(pinBits(bound)).toEqual({ inputs: 0, outputs: 2 });
  for (const [wishes, says] of [
    [{ nobody: 1 }, 'no port nobody'],
    [{ o0: 1 }, 'o0 is an output'],
    [{ i0: 256 }, 'i0 has 8 bits; 256 has more'],
    [{ i2: 1 }, 'i2 does not fit'],
  ] as const)
    expect(choosePins(ins, outs, wishes)).toMatchObject({ problem: expect.stringContaining(says) });
});

const BOARD = {
  name: 'a board',
  fpga: { family: 'ice40' as const, part: 'hx8k', package: 'ct256' },
  clock: { hz: 12_000_000, pin: 'J3' },
  serial: { baud: 115_200, rx: 'B10', tx: 'B12' },
  leds: { pins: ['B5', 'B4'], activeLow: false },
  pins: { BTN1: 'C5' },
};
const CONSTRAINTS = 'set_io clk J3\nset_io rx B10\nset_io tx B12\nset_io leds[0] B5\nset_io leds[1] B4\n';

test('bound ports use the board’s pins, and only bound LEDs are taken from the bench', () => {
  const pins = chosen(ties([1, 1]), outputs([2]), { i0: 'btn1', i1: 'D1', o0: 'LED' });
  expect(bindPorts(BOARD, pins, CONSTRAINTS)).toEqual({
    constraints:
      'set_io clk J3\nset_io rx B10\nset_io tx B12\nset_io bound_0 C5\nset_io bound_1 D1\n' +
      'set_io bound_2[0] B5\nset_io bound_2[1] B4\n',
    leds: { pins: [], activeLow: false },
  });
  expect(bindPorts(BOARD, chosen(ties([1]), []), CONSTRAINTS)).toEqual({
    constraints: CONSTRAINTS,
    leds: BOARD.leds,
  });
  const ecp5 = { ...BOARD, fpga: { ...BOARD.fpga, family: 'ecp5' as const } };
  const low = [{ port: 'btn_n', width: 1, value: 1 as const, reason: '' }];
  expect(bindPorts(ecp5, chosen(low, [], { btn_n: 'A1' }), '').constraints).toContain(
    'LOCATE COMP "bound_0" SITE "A1";\nIOBUF PORT "bound_0" IO_TYPE=LVCMOS33 PULLMODE=UP;',
  );
  for (const [wish, says] of [
    [{ o0: 'B5' }, 'o0 has 2 bits and is bound to 1 pins'],
    [{ o0: 'B10 C5' }, 'pin B10 of a board is the serial line'],
    [{ o0: 'C5 BTN1' }, 'pin C5 of a board is already bound to o0'],
    [{ o0: 'C5 NOWHERE' }, 'a board has no pin NOWHERE'],
  ] as const)
    expect(() => bindPorts(BOARD, chosen([], outputs([2]), wish), CONSTRAINTS)).toThrow(says);
});

const PCF = `
# a board's file, with more than one design needs
set_frequency clk 12
set_io -nowarn clk J3
set_io uart_tx B12 # the bench's own line
set_io -pullup yes btn C5
set_io --warn-no-port led[0] B5
set_io led[1] B4
set_io half[0] A1
set_io low[2] D1
set_io low[3] D2
set_io lonely
`;
const ports: Port[] = [
  { name: 'uart_tx', direction: 'output', width: 1, offset: 0 },
  { name: 'btn', direction: 'input', width: 1, offset: 0 },
  { name: 'led', direction: 'output', width: 2, offset: 0 },
  { name: 'half', direction: 'output', width: 2, offset: 0 },
  { name: 'low', direction: 'inout', width: 2, offset: 2 },
  { name: 'other', direction: 'output', width: 1, offset: 0 },
];

test('a .pcf binds ports that it covers whole, and explains why it skips the others', () => {
  const real = {
    ...BOARD,
    id: 'a-board',
    programmer: { kind: 'ice40-mpsse' as const, modes: ['sram' as const] },
  };
  const file = readBoardFile({ ...real, pins: { B4: 'A9' } }, 'pins.pcf', PCF);
  expect(file && wishesOf(file, ports)).toEqual({
    wishes: { btn: 'C5', led: 'B5 PINB4', low: 'D1 D2' },
    notes: [
      'pin B12 is the serial line of the bench: uart_tx stays a pin of the bench',
      'pins.pcf has no pin for half[1]: half stays a pin of the bench',
      'pins.pcf binds btn, led, low to pins of the board',
    ],
  });
  // On a virtual board nobody could operate a bound input.
  const virtual = readBoardFile({ ...real, programmer: { kind: 'virtual' } }, 'pins.pcf', PCF);
  expect(virtual && wishesOf(virtual, ports).wishes).toEqual({ led: 'B5 B4' });
  expect(virtual && wishesOf(virtual, ports).notes).toContain(
    'nothing is connected to the pins of a virtual board: btn stays a pin of the bench',
  );
  const ecp5 = { ...real, fpga: { ...real.fpga, family: 'ecp5' as const } };
  expect(readBoardFile(ecp5, 'pins.pcf', PCF)).toBeNull();
});

test('an inout takes bits of both directions: level and drive enable, with a released value', () => {
  const inouts = [
    { name: 'sda', width: 1, high: true },
    { name: 'gpio', width: 31, high: false },
    { name: 'wide', width: 33, high: false },
  ];
  const choice = choosePins(ties([4]), outputs([]), { gpio: '0x7' }, inouts);
  expect(choice).toEqual({
    pins: [
      { name: 'i0', direction: 'input', width: 4, at: 0, high: false },
      { name: 'sda', direction: 'inout', width: 1, at: 0, released_at: 4, high: true },
      { name: 'gpio', direction: 'inout', width: 31, at: 2, released_at: 5, high: false, initial: '0x7' },
    ],
  });
  if ('problem' in choice) throw new Error(choice.problem);
  expect(pinBits(choice.pins)).toEqual({ inputs: 36, outputs: 64 });
  expect(initialBits(choice.pins)).toBe(0b111_1_0000n);
  expect(choosePins([], [], { wide: 1 }, inouts)).toMatchObject({
    problem: expect.stringContaining('wide does not fit'),
  });
});
