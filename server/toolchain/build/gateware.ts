import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type BoardDefinition, userClock } from '../../boards/definition.ts';
import type { DesignPin, MatchedDesign } from '../../contract/designs/uploads.ts';
import { terminalClocks } from '../../contract/nodes/terminal-rate.ts';
import { resourcePath } from '../../paths.ts';
import { initialBits, pinBits } from '../slave/pins.ts';
import { boundPorts } from './wrap/bound-ports.ts';

/** Version in the identity block at 0xF000_0004. It counts up with every change that a host can see. */
export const GATEWARE_VERSION = 5;

/** Top module of every bitstream: ports clk, rx, tx and, where the board has them, leds[0..n-1] and high[0..n-1]. */
export const GATEWARE_TOP = 'wishbench_top';

/** Header that wishbench_top.v includes. It must be in the include path. */
export const GATEWARE_PARAMETERS = 'wishbench_parameters.vh';

/** Words of the identifier memory. The last one is 0 and ends the text, as LiteX's tools expect. */
const IDENTIFIER_WORDS = 64;

/** Minimum clocks per bit: with fewer the receiver cannot find the middle of a bit. */
const MIN_CLOCKS_PER_BIT = 4;

const FILES = [
  'wishbench_uart_rx.v',
  'wishbench_fifo.v',
  'wishbench_constants.v',
  'wishbench_pins.v',
  'wishbench_bridge.v',
  'wishbench_top.v',
] as const;

/** Added when signals are probed. */
const CAPTURE = 'wishbench_capture.v';

/** Added when pins of the design are a serial line. */
const TERMINAL = 'wishbench_terminal.v';

const read = (name: string) => readFile(resourcePath('gateware', name), 'utf8');

const readAll = async (names: readonly string[]): Promise<Record<string, string>> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));

/**
 * Sources of the base SoC without the user's slave: Verilog-2001 by file name, in reading order.
 * @param parts.capture with the capture core @param parts.terminal with the terminal
 */
export const gatewareSources = ({
  capture = false,
  terminal = false,
} = {}): Promise<Record<string, string>> =>
  readAll([...(capture ? [CAPTURE] : []), ...(terminal ? [TERMINAL] : []), ...FILES]);

/** Stand-in for the user's slave in a base bitstream. It answers every access with `err`. */
export async function noDesignSource(): Promise<Record<string, string>> {
  const name = 'wishbench_no_design.v';
  return { [name]: await read(name) };
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, text] of Object.entries(await gatewareSources({ capture: true, terminal: true })))
    hash.update(`${name}\0${text}\0`);
  return hash.digest('hex');
}

let hashed: Promise<string> | null = null;

/** SHA-256 of the base SoC's sources, hex, for the build id. Computed once: the sources are part of the program. */
export function gatewareHash(): Promise<string> {
  hashed ??= hashSources().catch((error: unknown) => {
    hashed = null;
    throw error;
  });
  return hashed;
}

/** The part of a build id in the identity block: its last 16 hex digits. */
export function shortBuildId(buildId: string): string {
  if (!/^[0-9a-f]*$/.test(buildId)) throw new RangeError(`A build id is hexadecimal, not "${buildId}".`);
  return buildId.slice(-16).padStart(16, '0');
}

/** The SoC's identifier for LiteX's tools: the program and the board, in ASCII. */
export const identifierOf = ({ name }: Pick<BoardDefinition, 'name'>): string =>
  `Wishbench on ${name.replace(/[^\x20-\x7e]+/g, '?')}`.slice(0, IDENTIFIER_WORDS - 1);

/** An identifier as a Verilog constant: the first character highest, zeros after the last. */
const identifierBits = (identifier: string): string =>
  `${8 * IDENTIFIER_WORDS}'h${Buffer.from(identifier, 'latin1')
    .toString('hex')
    .padEnd(2 * IDENTIFIER_WORDS, '0')}`;

/** Definitions for bound ports, which the top module has as well. */
function boundDefines(pins: readonly DesignPin[]): string[] {
  const bound = boundPorts(pins);
  if (bound.length === 0) return [];
  return [
    `\`define WISHBENCH_BOUND_PORTS ${bound.map(({ declaration }) => `${declaration},`).join(' ')}`,
    `\`define WISHBENCH_BOUND_CONNECTIONS ${bound.map(({ port }) => `.${port}(${port}),`).join(' ')}`,
  ];
}

/** Definitions of the port block. */
function pinDefines(pins: readonly DesignPin[]): string[] {
  if (pins.length === 0) return [];
  const { inputs, outputs } = pinBits(pins);
  const initial = initialBits(pins);
  return [
    `\`define WISHBENCH_PINS_IN ${inputs}`,
    `\`define WISHBENCH_PINS_OUT ${outputs}`,
    `\`define WISHBENCH_PINS_INITIAL 64'h${initial.toString(16).padStart(16, '0')}`,
    ...boundDefines(pins),
  ];
}

/** Definitions of the terminal: its pins in the port block, and its initial rate. */
function terminalDefines(
  terminal: MatchedDesign['terminal'],
  pins: readonly DesignPin[],
  clockHz: number,
): string[] {
  if (!terminal) return [];
  const at = (wanted: string) => pins.find(({ name }) => name === wanted)?.at ?? 0;
  return [
    `\`define WISHBENCH_TERMINAL_IN ${at(terminal.input)}`,
    `\`define WISHBENCH_TERMINAL_OUT ${at(terminal.output)}`,
    `\`define WISHBENCH_TERMINAL_CLOCKS 16'd${terminalClocks(clockHz, terminal.baud) - 1}`,
  ];
}

/** Size of a build's capture core. */
export interface CaptureSize {
  /** Bits per sample. */
  bits: number;
  /** log2 of the number of samples. */
  depthLog2: number;
}

const captureDefines = (capture: CaptureSize | null): string[] =>
  capture === null
    ? []
    : [
        `\`define WISHBENCH_PROBES ${capture.bits}`,
        `\`define WISHBENCH_CAPTURE_DEPTH_LOG2 ${capture.depthLog2}`,
      ];

/**
 * The text of GATEWARE_PARAMETERS for one build. It is a header and not `chparam`: Yosys, Icarus and vendors' tools read
 * it alike, and the build can be repeated from its sources.
 *
 * @param buildId hexadecimal, any length; the last 16 digits count; '0' for a base bitstream
 * @param pins ports of the port block; without any there is no port block
 * @param capture null without a capture core
 * @param terminal the serial line among the pins; undefined without one
 * @throws RangeError when the board's clock is too slow for its line rate
 */
export function gatewareParameters(
  board: Pick<BoardDefinition, 'name' | 'clock' | 'serial' | 'leds' | 'driveHigh'>,
  buildId: string,
  pins: readonly DesignPin[] = [],
  capture: CaptureSize | null = null,
  terminal: MatchedDesign['terminal'] = undefined,
): string {
  const { serial, leds, driveHigh = [] } = board;
  const { hz, halvings } = userClock(board);
  if (hz < serial.baud * MIN_CLOCKS_PER_BIT)
    throw new RangeError(
      `A serial line at ${serial.baud} baud needs a clock of at least ${serial.baud * MIN_CLOCKS_PER_BIT} Hz; the board has ${hz} Hz.`,
    );
  const shown = Math.min(leds.pins.length, 8);
  return [
    `\`define WISHBENCH_CLOCK_HZ ${hz}`,
    ...(halvings > 0 ? [`\`define WISHBENCH_CLOCK_HALVINGS ${halvings}`] : []),
    `\`define WISHBENCH_BAUD ${serial.baud}`,
    `\`define WISHBENCH_BUILD_ID 64'h${shortBuildId(buildId)}`,
    `\`define WISHBENCH_GATEWARE_VERSION ${GATEWARE_VERSION}`,
    `\`define WISHBENCH_IDENTIFIER ${identifierBits(identifierOf(board))}`,
    ...pinDefines(pins),
    ...captureDefines(capture),
    ...terminalDefines(terminal, pins, hz),
    ...(shown > 0
      ? [
          `\`define WISHBENCH_LEDS ${shown}`,
          `\`define WISHBENCH_LEDS_ACTIVE_LOW 1'b${leds.activeLow ? 1 : 0}`,
        ]
      : []),
    ...(driveHigh.length > 0 ? [`\`define WISHBENCH_HIGH ${driveHigh.length}`] : []),
    '',
  ].join('\n');
}
