import { FabricRefusal } from '../refusal.ts';
import type { Cells } from './cells.ts';
import { ioConfiguration } from './io-configuration.ts';
import type { Net } from './netlist.ts';

/** Truth tables over (i0, i1, i2). */
const BUFFER = 0xaaaa; // i0
const INVERT = 0x5555; // not i0
const DRIVEN_OR_HIGH = 0xbbbb; // i1 ? i0 : 1
const DRIVEN_OR_LOW = 0x8888; // i1 ? i0 : 0
const HOLD = 0xe2e2; // i1 ? i2 : i0

/** The part of an IO cell between the fabric and the pad; `pad` is the net at the pad. */
export function addPadOutput(cells: Cells, io: number, pad: Net): void {
  const { name, drives, output, falling, wire } = ioConfiguration(cells.table, cells.routing, io);
  const register = (d: Net, what: string): Net => {
    const q = cells.fresh(`${name}/${what}`);
    const clock = cells.net(wire('oclk'), 0);
    addRegister(cells, { q, d, clock, falling, enable: cells.net(wire('ce'), 1) });
    return q;
  };
  // Both halves of a double-data-rate output are inside one board clock, where they can't be observed.
  if (output === 'ddr')
    throw new FabricRefusal('fabric_io', `The output at ${name} is double data rate (DDR).`);
  let value = cells.net(wire('dout0'), 0);
  if (output !== 'direct') value = register(value, 'dout');
  if (output === 'registered-inverted') {
    const inverted = cells.fresh(`${name}/inverted`);
    cells.found.luts.push({ output: inverted, inputs: [value, 0, 0, 0], table: INVERT });
    value = inverted;
  }
  if (drives === 'always') {
    cells.found.luts.push({ output: pad, inputs: [value, 0, 0, 0], table: BUFFER });
    return;
  }
  const direct = cells.net(wire('oe'), 0);
  const enable = drives === 'registered-enabled' ? register(direct, 'oe') : direct;
  const table = cells.pads.rest(io) ? DRIVEN_OR_HIGH : DRIVEN_OR_LOW;
  cells.found.luts.push({ output: pad, inputs: [value, enable, 0, 0], table });
}

/** D_IN_0 (or D_IN_1 when `second`) of an IO cell: from the pad to the fabric. */
export function addPadInput(cells: Cells, io: number, second: boolean, net: Net): void {
  const { name, input, falling, wire } = ioConfiguration(cells.table, cells.routing, io);
  const pad = cells.padInput(io);
  const clock = cells.net(wire('iclk'), 0);
  if (second) {
    // The register of the second edge uses the enable of the first.
    const enable = cells.fresh(`${name}/ce`);
    addRegister(cells, { q: enable, d: cells.net(wire('ce'), 1), clock, falling, enable: 1 });
    addRegister(cells, { q: net, d: pad, clock, falling: !falling, enable });
    return;
  }
  const latched = input === 'latched' || input === 'registered-latched';
  let value = pad;
  if (input === 'registered' || input === 'registered-latched') {
    value = latched ? cells.fresh(`${name}/din`) : net;
    addRegister(cells, { q: value, d: pad, clock, falling, enable: cells.net(wire('ce'), 1) });
  }
  if (latched)
    cells.found.luts.push({ output: net, inputs: [value, cells.net(wire('latch'), 0), net, 0], table: HOLD });
  else if (value !== net) cells.found.luts.push({ output: net, inputs: [value, 0, 0, 0], table: BUFFER });
}

function addRegister(
  cells: Cells,
  register: { q: Net; d: Net; clock: Net; falling: boolean; enable: Net },
): void {
  cells.found.flipFlops.push({
    name: cells.nameOf(register.q),
    ...register,
    setReset: 0,
    sets: false,
    asynchronous: false,
  });
}
