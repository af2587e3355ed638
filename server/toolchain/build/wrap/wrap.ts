import type { MatchedDesign, Port } from '../../../contract/designs/uploads.ts';
import { pinBits } from '../../slave/pins.ts';
import { boundPorts } from './bound-ports.ts';
import { wireInouts } from './inouts.ts';

/** The generated module, which wishbench_top instantiates as the user's design. */
export const WRAPPER_MODULE = 'wishbench_user';

/** Escapes any name as a Verilog identifier; the space ends it. */
const identifier = (name: string) => `\\${name} `;

/** Clocks after a transfer during which a slave may hold its acknowledge. After them it counts as constant. */
const SETTLE_CLOCKS = 7;

/**
 * Generates the Verilog of `wishbench_user`: the user's slave on the bus of the base SoC.
 *
 * The base SoC's master is classic: it holds cyc, stb, we, address and data until ack or err, with at least one idle clock
 * between two transfers. The wrapper adapts this to the slave: the strobe is held (classic) or pulsed until it is not
 * stalled (pipelined). It adapts widths, the unit of addresses and the reset level, and joins err and rty. After a
 * transfer it waits until the slave withdraws its acknowledge: a late or long one must not answer the next transfer.
 */
export function wrapDesign(matched: MatchedDesign): string {
  const { roles } = matched;
  const ports = new Map(matched.ports.map((port) => [port.name, port]));
  const portOf = (role: string) => ports.get(roles[role] ?? '');
  const width = (role: string) => portOf(role)?.width ?? 1;
  const has = (role: string) => roles[role] !== undefined;

  const pins = new Map<string, string>();
  const connect = (role: string, expression: string) => {
    const name = roles[role];
    if (name !== undefined) pins.set(name, expression);
  };
  const request = has('stall') ? 'strobe' : 'offered';
  connect('clk', 'clk');
  connect('rst', matched.resetActiveLow ? '~rst' : 'rst');
  for (const [role, port] of Object.entries(roles)) {
    if (/^clk_\d+$/.test(role)) pins.set(port, 'clk');
    if (/^rst_\d+$/.test(role)) pins.set(port, 'rst');
    if (/^rst_n_\d+$/.test(role)) pins.set(port, '~rst');
  }
  // A slave with only one of cyc and stb gets the strobe there.
  connect('cyc', has('stb') ? 'offered' : request);
  connect('stb', request);
  connect('we', replicate('wb_we', width('we')));
  connect('adr', address(matched, portOf('adr')));
  connect('dat_w', resize('wb_dat_w', 32, width('dat_w')));
  connect('sel', selects(width('sel')));
  connect('dat_r', 'data');
  connect('ack', 'ack');
  connect('stall', 'stall');
  connect('err', 'err');
  connect('rty', 'rty');
  for (const { port, width: bits, value } of matched.ties)
    pins.set(port, value === 1 ? ones(bits) : `${bits}'b0`);
  for (const name of matched.open) pins.set(name, '');
  const block = matched.pins ?? [];
  const bits = pinBits(block);
  for (const { name, direction, width: wide, at, bound } of block)
    if (!bound && direction !== 'inout')
      pins.set(name, `pins_${direction === 'input' ? 'to' : 'from'}_design[${at + wide - 1}:${at}]`);
  const wired = boundPorts(block);
  for (const { port, pin } of wired) pins.set(pin.name, port);
  const inouts = wireInouts(block);
  for (const { connections } of inouts) for (const [port, net] of connections) pins.set(port, net);

  const ends = ['ack', 'err', 'rty'].filter(has).join(' | ');
  const faults = ['err', 'rty'].filter(has).join(' | ');
  const outputs = [
    has('dat_r') ? `  wire [${width('dat_r') - 1}:0] data;` : '',
    ...['ack', 'err', 'rty', 'stall'].filter(has).map((role) => `  wire ${role};`),
  ].filter((line) => line !== '');

  return [
    '// Generated: the design behind the bus of the base SoC.',
    `module ${WRAPPER_MODULE} (`,
    ...(block.length > 0
      ? [
          `  input  wire [${Math.max(0, bits.inputs - 1)}:0] pins_to_design,`,
          `  output wire [${Math.max(0, bits.outputs - 1)}:0] pins_from_design,`,
        ]
      : []),
    ...wired.map(({ declaration }) => `  ${declaration},`),
    '  input  wire        clk,',
    '  input  wire        rst,',
    '  input  wire        wb_cyc,',
    '  input  wire        wb_stb,',
    '  input  wire        wb_we,',
    '  input  wire [29:0] wb_adr,',
    '  input  wire [31:0] wb_dat_w,',
    '  input  wire [3:0]  wb_sel,',
    '  output wire [31:0] wb_dat_r,',
    // Keeps the net's own name, by which it can be watched.
    '  (* keep *)',
    '  output wire        wb_ack,',
    '  output wire        wb_err',
    ');',
    "  wire [31:0] byte_address = {wb_adr, 2'b00};",
    ...outputs,
    `  wire done = ${ends};`,
    '',
    '  // Closed after a transfer while the slave still acknowledges it. A slave that always acknowledges never',
    `  // withdraws: it is open again after ${SETTLE_CLOCKS} clocks.`,
    "  reg [2:0] closed = 3'd0;",
    "  wire offered = wb_cyc & wb_stb & (closed == 3'd0);",
    '  always @(posedge clk)',
    "    if (rst) closed <= 3'd0;",
    `    else if (offered & done) closed <= 3'd${SETTLE_CLOCKS};`,
    "    else if (closed != 3'd0) closed <= done ? closed - 3'd1 : 3'd0;",
    '',
    ...(has('stall')
      ? [
          '  // A strobe that is not stalled is one request: held longer it would be another.',
          "  reg accepted = 1'b0;",
          '  wire strobe = offered & ~accepted;',
          '  always @(posedge clk)',
          "    if (rst | ~offered | done) accepted <= 1'b0;",
          "    else if (strobe & ~stall) accepted <= 1'b1;",
          '',
        ]
      : []),
    `  assign wb_ack = offered & ack${faults ? ` & ~(${faults})` : ''};`,
    `  assign wb_err = ${faults ? `offered & (${faults})` : "1'b0"};`,
    `  assign wb_dat_r = ${has('dat_r') ? resize('data', width('dat_r'), 32) : "32'd0"};`,
    '',
    ...wired.map(
      ({ port, pin: { at, width: wide } }) => `  assign pins_from_design[${at + wide - 1}:${at}] = ${port};`,
    ),
    ...inouts.flatMap(({ lines }) => lines),
    ...(block.length > 0 && bits.outputs === 0 ? ["  assign pins_from_design = 1'b0;", ''] : []),
    `  ${identifier(matched.module)}user (`,
    [...new Set([...matched.ports.map(({ name }) => name), ...pins.keys()])]
      .map((name) => `    .${identifier(name)}(${pins.get(name) ?? ''})`)
      .join(',\n'),
    '  );',
    'endmodule',
    '',
  ].join('\n');
}

const ones = (bits: number) => `{${bits}{1'b1}}`;
/** Byte selects in the slave's width. Bits beyond those of a word are always 1. */
const selects = (bits: number) =>
  bits === 4 ? 'wb_sel' : bits < 4 ? `wb_sel[${bits - 1}:0]` : `{{${bits - 4}{1'b1}}, wb_sel}`;
const replicate = (signal: string, bits: number) => (bits === 1 ? signal : `{${bits}{${signal}}}`);

/** The low bits of a signal, or the zero-extended signal. */
function resize(signal: string, from: number, to: number): string {
  if (to === from) return signal;
  return to < from ? `${signal}[${to - 1}:0]` : `{${to - from}'b0, ${signal}}`;
}

/** The address in the slave's unit and width. The base SoC gives a word address: bits 31 to 2 of the byte address. */
function address(matched: MatchedDesign, port: Port | undefined): string {
  if (!port) return '';
  // A 32-bit slave that declares [31:4] ignores bits 3 and 2 of the byte address, too.
  const skipped =
    matched.addressing === 'byte' ? port.offset : matched.dataWidth === 32 ? Math.max(2, port.offset) : 2;
  if (skipped >= 32) return `${port.width}'b0`;
  const taken = Math.min(port.width, 32 - skipped);
  const slice = `byte_address[${skipped + taken - 1}:${skipped}]`;
  return port.width > taken ? `{${port.width - taken}'b0, ${slice}}` : slice;
}
