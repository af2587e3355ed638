import { otherAddressing } from '../../contract/designs/addressing.ts';
import type { DesignPin, MatchedDesign, Port, ScanResult } from '../../contract/designs/uploads.ts';
import { MAX_NAMED, someOf } from '../diagnostics/text.ts';
import { initialOf, MAX_PIN_BITS } from './pins.ts';
import { tieOf } from './ties.ts';

/** The documented contract: ports of a design's top module. */
export const CONTRACT_LINES: readonly string[] = [
  'A design is one source file whose top module is a Wishbone slave with these ports:',
  '  clk, rst                 in    1      rising edge, active-high synchronous reset',
  '  wb_cyc, wb_stb, wb_we    in    1',
  '  wb_adr                   in    1..30  word address (byte address / 4)',
  '  wb_dat_w                 in    1..32  write data',
  '  wb_sel                   in    4      1111, unless a run selects bytes',
  '  wb_dat_r                 out   1..32  read data',
  '  wb_ack                   out   1      registered or combinational',
  'Other naming conventions are known too, such as wb_adr_i, i_wb_addr, wbs_adr_i or io_wbs_ADR.',
];

const range = ({ width, offset }: Port) =>
  width === 1 && offset === 0 ? '' : ` [${offset + width - 1}:${offset}]`;

/** Lists every module with its ports and why it is no slave. */
export function describeModules(modules: ScanResult['modules']): string[] {
  if (modules.length === 0) return ['The source has no module.'];
  return modules
    .slice(0, 50)
    .flatMap(({ name, ports, problem }) => [
      `module ${name}: ${problem ?? 'a Wishbone slave'}`,
      ...ports.slice(0, 100).map((port) => `  ${port.direction.padEnd(6)} ${port.name}${range(port)}`),
    ]);
}

const bitsOf = (width: number) => (width > 1 ? ` (${width} bits)` : '');

/** Describes the matched bus for the job's log. */
export function describeMatch(design: MatchedDesign): string[] {
  const roles = Object.entries(design.roles).map(([role, port]) => `${role} = ${port}`);
  const pins = design.pins ?? [];
  const reset = design.roles['rst'] ? `, reset active ${design.resetActiveLow ? 'low' : 'high'}` : '';
  return [
    `Wishbone slave: module ${design.module}, ${design.dataWidth}-bit data, ${design.handshake} handshake${reset}`,
    `ports: ${roles.join(', ')}`,
    ...describeAddressing(design),
    ...describeNarrowData(design),
    ...describeTies(design),
    ...pins.flatMap(({ name, direction, width, bound }) =>
      bound ? [`${direction} ${name}${bitsOf(width)} is bound to ${bound.join(', ')} of the board`] : [],
    ),
    ...pins
      .filter(({ direction, bound }) => direction === 'output' && !bound)
      .map(({ name, width }) => `output ${name}${bitsOf(width)} is a pin`),
    ...pins.filter(({ direction, bound }) => direction === 'inout' && !bound).map(describeInout),
    ...(design.terminal
      ? [
          `${design.terminal.input} and ${design.terminal.output} are a serial line to the bench, initially ${design.terminal.baud} baud`,
        ]
      : []),
    ...(design.open.length > 0 ? [`left open: ${someOf(design.open)}`] : []),
  ];
}

/** Describes how the design counts addresses, with a warning when that is uncertain. */
function describeAddressing(design: MatchedDesign): string[] {
  const { addressing, addressingReason, addressingDoubt } = design;
  const other = otherAddressing(design);
  return [
    `addresses: ${addressing}, because ${addressingReason}`,
    ...(addressingDoubt === undefined
      ? []
      : [`warning: check the addressing: ${addressingDoubt}; the form field addressing=${other} changes it`]),
  ];
}

const level = (value: 0 | 1, width: number): string =>
  value === 1 && width > 1 ? 'all ones' : String(value);

/** Describes the inputs that are not the bus: pins with their initial value, and the first of the tied ones. */
function describeTies({ ties, open, ...design }: MatchedDesign): string[] {
  const pins = new Map(design.pins?.map((pin) => [pin.name, pin]));
  const driven = ties.filter(({ port }) => pins.has(port));
  const tied = ties.filter(({ port }) => !pins.has(port));
  const full = pins.size > 0 || [...tied, ...design.ports].some(({ width }) => width > MAX_PIN_BITS);
  return [
    ...driven.map(({ port, width, value, reason }) => {
      const initial = pins.get(port)?.initial;
      return `input ${port}${bitsOf(width)} is a pin, initially ${
        initial === undefined ? `${level(value, width)}: ${reason}` : `${initial}: set by the form field pins`
      }`;
    }),
    ...tied
      .slice(0, MAX_NAMED)
      .map(
        ({ port, width, value, reason }) =>
          `input ${port}${bitsOf(width)} tied to ${level(value, width)}: ${reason}`,
      ),
    ...(tied.length > MAX_NAMED
      ? [`and ${tied.length - MAX_NAMED} more inputs tied to the levels that their names suggest, else to 0`]
      : []),
    ...(full && tied.length + open.length > 0
      ? [
          `the port block has ${MAX_PIN_BITS} bits in and ${MAX_PIN_BITS} out; a port becomes a pin only if all of it fits`,
        ]
      : []),
  ];
}

function describeInout(pin: DesignPin): string {
  const { value, reason } = tieOf({ ...pin, offset: 0 });
  const why = pin.initial !== undefined ? ': set by the form field pins' : value === 1 ? `: ${reason}` : '';
  return `inout ${pin.name}${bitsOf(pin.width)} is a pin, initially 0x${initialOf(pin).toString(16)} while the design does not drive it${why}`;
}

/** Describes the bits of a word that narrow data ports do not have; empty for 32 bits. */
function describeNarrowData({ roles, ports }: MatchedDesign): string[] {
  const widthOf = (role: string) => ports.find(({ name }) => name === roles[role])?.width ?? 32;
  const bits = (width: number) => `${width} bit${width > 1 ? 's' : ''}`;
  const written = widthOf('dat_w');
  const read = widthOf('dat_r');
  return [
    ...(read < 32 ? [`read data has ${bits(read)}: zero-extended to 32`] : []),
    ...(written < 32
      ? [
          `write data has ${bits(written)}: only the lowest ${written > 1 ? `${written} bits of a written word count` : 'bit of a written word counts'}`,
        ]
      : []),
  ];
}
