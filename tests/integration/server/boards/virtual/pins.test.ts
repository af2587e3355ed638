import { beforeAll, describe, expect, test } from 'vitest';
import { type ChipTable, loadChipTable } from '../../../../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../../../../server/boards/virtual/configuration/command-reader.ts';
import { extractNetlist } from '../../../../../server/boards/virtual/netlist/extract.ts';
import { FabricRefusal } from '../../../../../server/boards/virtual/refusal.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { baseBitstream, landmarks, resealed } from '../../../../support/boards/virtual/bitstreams.ts';
import { PAD_PINS, recordedBitstream } from '../../../../support/boards/virtual/recorded-bitstreams.ts';

let table: ChipTable;
beforeAll(() => {
  table = loadChipTable(resourcePath('fabric', 'ice40-8k.table.br'));
});

/** Compiles a bitstream for the given pins, or returns the reason for the refusal. */
function load(bitstream: Uint8Array, inputs = ['B10'], outputs = ['B12']): Machine | string {
  try {
    const reader = new CommandReader();
    reader.push(bitstream);
    const netlist = extractNetlist(table, reader.memory, { package: 'ct256', clock: 'J3', inputs, outputs });
    return new Machine(
      compile(netlist),
      inputs.map(() => 0),
    );
  } catch (error) {
    if (error instanceof FabricRefusal) return error.code;
    throw error;
  }
}

describe('pads', () => {
  const inputs = ['rx', 'b', 'i0', 'l0'] as const;
  const outputs = ['tx', 'o0', 'o1', 'o2', 'r0', 'n0', 'n1', 't1'] as const;
  let machine: Machine;

  beforeAll(async () => {
    const bitstream = await recordedBitstream('pads');
    const loaded = load(
      bitstream,
      inputs.map((name) => PAD_PINS[name]),
      outputs.map((name) => PAD_PINS[name]),
    );
    if (typeof loaded === 'string') throw new Error(loaded);
    machine = loaded;
  });

  /** Applies levels, lets clocks pass, and reads one output. */
  function after(levels: Partial<Record<(typeof inputs)[number], number>>, cycles: number) {
    inputs.forEach((name, index) => {
      if (levels[name] !== undefined) machine.setInput(index, levels[name]);
    });
    for (let left = cycles; left > 0; ) left -= machine.run(left);
    machine.run(0);
    return Object.fromEntries(outputs.map((name, index) => [name, machine.output(index)]));
  }

  test('a tri-state pad has its driver’s level, or that of its pull-up', () => {
    expect(after({ b: 1, rx: 1 }, 2)).toMatchObject({ tx: 1, o0: 1 });
    expect(after({ b: 1, rx: 0 }, 2)).toMatchObject({ tx: 0, o0: 0 });
    expect(after({ b: 0, rx: 0 }, 0)).toMatchObject({ o0: 0 });
    expect(after({ b: 0, rx: 0 }, 1)).toMatchObject({ o0: 1 });
  });

  test('registered outputs update on their clock edge, inverted or not', () => {
    after({ rx: 0 }, 1);
    expect(after({ rx: 1 }, 0)).toMatchObject({ r0: 0, n0: 1 });
    expect(after({}, 1)).toMatchObject({ r0: 1, n0: 0 });
  });

  test('an output of the falling edge carries the value of the rising edge', () => {
    const { n1: first = 0 } = after({}, 1);
    expect(after({}, 1)).toMatchObject({ n1: 1 - first });
  });

  test('an input is sampled at both edges', () => {
    after({ i0: 0 }, 2);
    expect(after({ i0: 1 }, 0)).toMatchObject({ o1: 0 });
    expect(after({}, 1)).toMatchObject({ o1: 0 });
  });

  test('a latched input holds', () => {
    expect(after({ b: 0, l0: 1 }, 0)).toMatchObject({ o2: 1 });
    after({ b: 1 }, 0);
    expect(after({ l0: 0 }, 1)).toMatchObject({ o2: 1 });
    expect(after({ b: 0 }, 0)).toMatchObject({ o2: 0 });
  });
});

describe('designs that are refused, by code', () => {
  test.each([
    ['fabric_pll', 'pll'],
    ['fabric_warmboot', 'warmboot'],
    ['fabric_io', 'double-rate'],
    ['fabric_contention', 'contention'],
    ['fabric_oscillation', 'oscillation'],
  ] as const)('%s', async (code, design) => {
    expect(load(await recordedBitstream(design))).toBe(code);
  });

  test('bits without a known meaning', () => {
    const bitstream = baseBitstream();
    expect(load(bitstream)).toBeInstanceOf(Machine);
    // The first bit of a bank lies in the corner of the chip, where there is no tile.
    const { covered } = landmarks(bitstream);
    const data = bitstream.findIndex(
      (byte, at) => at > covered && byte === 0x01 && bitstream[at + 1] === 0x01,
    );
    bitstream[data + 2] = (bitstream[data + 2] ?? 0) | 0x80;
    expect(load(resealed(bitstream))).toBe('fabric_unknown_bits');
  });

  test('a design that does not use its pins has an idle line', () => {
    const bitstream = baseBitstream();
    const loaded = load(bitstream, ['B10'], ['T16']);
    expect(typeof loaded === 'string' ? loaded : loaded.output(0)).toBe(1);
  });
});
