import type { Net, Netlist, RamMode } from '../../../../server/boards/virtual/netlist/netlist.ts';
import type { YosysModule } from './tools.ts';

const FLIP_FLOP = /^SB_DFF(N?)(E?)(SR|SS|S|R)?$/;

/** The fabric's netlist of a synthesised, unplaced design: ports of several bits become pins `name[k]`. */
export function netlistOf(module: YosysModule): Netlist {
  const net = (bit: number | string | undefined, unconnected: Net = 0): Net =>
    bit === undefined ? unconnected : typeof bit === 'string' ? (bit === '1' ? 1 : 0) : bit;
  const netlist: Netlist = {
    luts: [],
    carries: [],
    flipFlops: [],
    rams: [],
    clock: -1,
    inputs: [],
    outputs: [],
    nameOf: (of) => `net ${of}`,
  };
  for (const [name, { direction, bits }] of Object.entries(module.ports)) {
    const pins = bits.map((bit, k) => ({ name: bits.length > 1 ? `${name}[${k}]` : name, net: net(bit) }));
    if (name === 'clk') netlist.clock = net(bits[0]);
    else if (direction === 'input') netlist.inputs.push(...pins);
    else netlist.outputs.push(...pins);
  }
  for (const [name, { type, parameters, connections }] of Object.entries(module.cells)) {
    const pin = (port: string, unconnected: Net = 0) => net(connections[port]?.[0], unconnected);
    const pins = (port: string, width: number, unconnected: Net = 0) =>
      Array.from({ length: width }, (_, k) => net(connections[port]?.[k], unconnected));
    const output = (port: string) => net(connections[port]?.[0], -1);
    const { LUT_INIT = '0', READ_MODE = '0', WRITE_MODE = '0' } = parameters;
    const sets = 'S' in connections;
    const flipFlop = FLIP_FLOP.exec(type);
    if (type === 'SB_LUT4')
      netlist.luts.push({
        output: output('O'),
        inputs: [pin('I0'), pin('I1'), pin('I2'), pin('I3')],
        table: Number.parseInt(LUT_INIT, 2),
      });
    else if (type === 'SB_CARRY')
      netlist.carries.push({ output: output('CO'), inputs: [pin('I0'), pin('I1'), pin('CI')] });
    else if (flipFlop)
      netlist.flipFlops.push({
        name,
        q: output('Q'),
        d: pin('D'),
        clock: pin('C'),
        falling: flipFlop[1] === 'N',
        enable: pin('E', 1),
        setReset: pin(sets ? 'S' : 'R'),
        sets,
        asynchronous: flipFlop[3] === 'R' || flipFlop[3] === 'S',
      });
    else if (type.startsWith('SB_RAM40_4K')) {
      const variant = type.slice('SB_RAM40_4K'.length);
      netlist.rams.push({
        name,
        readData: pins('RDATA', 16, -1),
        readAddress: pins('RADDR', 11),
        readClock: pin('RCLK') || pin('RCLKN'),
        readFalling: variant.includes('NR'),
        readClockEnable: pin('RCLKE', 1),
        readEnable: pin('RE'),
        readMode: ramMode(READ_MODE),
        writeData: pins('WDATA', 16),
        writeAddress: pins('WADDR', 11),
        writeMask: pins('MASK', 16),
        writeClock: pin('WCLK') || pin('WCLKN'),
        writeFalling: variant.includes('NW'),
        writeClockEnable: pin('WCLKE', 1),
        writeEnable: pin('WE'),
        writeMode: ramMode(WRITE_MODE),
        initial: ramContents(parameters),
      });
    } else if (type === 'SB_GB')
      netlist.luts.push({
        output: output('GLOBAL_BUFFER_OUTPUT'),
        inputs: [pin('USER_SIGNAL_TO_GLOBAL_BUFFER'), 0, 0, 0],
        table: 0xaaaa,
      });
    else if (type !== '$scopeinfo') throw new Error(`no rule for the cell ${type}`);
  }
  return netlist;
}

function ramMode(bits: string): RamMode {
  const mode = [0, 1, 2, 3].find((known): known is RamMode => known === Number.parseInt(bits, 2));
  if (mode === undefined) throw new Error(`${bits} is no width of a block RAM`);
  return mode;
}

function ramContents(parameters: Record<string, string>): Uint16Array {
  const words = new Uint16Array(256);
  for (let row = 0; row < 16; row++) {
    const bits = parameters[`INIT_${row.toString(16).toUpperCase()}`];
    if (!bits) continue;
    for (let k = 0; k < 16; k++) {
      const word = bits.slice(bits.length - 16 * (k + 1), bits.length - 16 * k).replace(/[xz]/g, '0');
      words[row * 16 + k] = Number.parseInt(word, 2);
    }
  }
  return words;
}
