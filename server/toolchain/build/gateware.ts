import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type BoardDefinition, userClock } from '../../boards/definition.ts';
import type { DesignPin, MatchedDesign } from '../../contract/designs/uploads.ts';
import { terminalClocks } from '../../contract/nodes/terminal-rate.ts';
import { resourcePath } from '../../paths.ts';
import { initialBits, pinBits } from '../slave/pins.ts';
import { boundPorts } from './wrap/bound-ports.ts';

/** What the identity block says at 0xF000_0004; counts up with every change that a host can see. */
export const GATEWARE_VERSION = 5;

/** Top module of every bitstream: ports clk, rx, tx and, where the board has them, leds[0..n-1] and high[0..n-1]. */
export const GATEWARE_TOP = 'wishbench_top';

/** The header that wishbench_top.v includes: must lie where the tool looks for includes. */
export const GATEWARE_PARAMETERS = 'wishbench_parameters.vh';

/** Words of the identifier memory; the last one is 0 and ends the text, as LiteX's tools expect. */
const IDENTIFIER_WORDS = 64;

/** Clocks a bit below which the receiver cannot find the middle of a bit. */
const MIN_CLOCKS_PER_BIT = 4;

const FILES = [
  'wishbench_uart_rx.v',
  'wishbench_fifo.v',
  'wishbench_constants.v',
  'wishbench_pins.v',
  'wishbench_bridge.v',
  'wishbench_top.v',
] as const;

/** Part of the base SoC only where signals are probed. */
const CAPTURE = 'wishbench_capture.v';

/** Part of it only where pins of the design are a serial line. */
const TERMINAL = 'wishbench_terminal.v';

const read = (name: string) => readFile(resourcePath('gateware', name), 'utf8');

const readAll = async (names: readonly string[]): Promise<Record<string, string>> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));

/**
 * The base SoC without the user's slave: file name → Verilog-2001, in the order to read them.
 * @param parts.capture with the capture core @param parts.terminal with the terminal
 */
export const gatewareSources = ({
  capture = false,
  terminal = false,
} = {}): Promise<Record<string, string>> =>
  readAll([...(capture ? [CAPTURE] : []), ...(terminal ? [TERMINAL] : []), ...FILES]);

/** The stand-in for the user's slave in a base bitstream: answers every access with `err`. */
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

/** SHA-256 of the base SoC's sources, hex: belongs into the build id. Read once: they are a part of the program. */
export function gatewareHash(): Promise<string> {
  hashed ??= hashSources().catch((error: unknown) => {
    hashed = null;
    throw error;
  });
  return hashed;
}

/** The part of a build id that the identity block holds: its last 16 hex digits. */
export function shortBuildId(buildId: string): string {
  if (!/^[0-9a-f]*$/.test(buildId)) throw new RangeError(`A build id is hexadecimal, not "${buildId}".`);
  return buildId.slice(-16).padStart(16, '0');
}

/** What LiteX's tools read as the SoC's identifier: who made the bitstream, and for which board; ASCII. */
export const identifierOf = ({ name }: Pick<BoardDefinition, 'name'>): string =>
  `Wishbench on ${name.replace(/[^\x20-\x7e]+/g, '?')}`.slice(0, IDENTIFIER_WORDS - 1);

/** The characters of an identifier as Verilog's constant: the first one uppermost, zeros behind the last. */
const identifierBits = (identifier: string): string =>
  `${8 * IDENTIFIER_WORDS}'h${Buffer.from(identifier, 'latin1')
    .toString('hex')
    .padEnd(2 * IDENTIFIER_WORDS, '0')}`;

/** Ports of the design that are wired to pins of the board: the top module has them, too. */
function boundDefines(pins: readonly DesignPin[]): string[] {
  const bound = boundPorts(pins);
  if (bound.length === 0) return [];
  return [
    `\`define WISHBENCH_BOUND_PORTS ${bound.map(({ declaration }) => `${declaration},`).join(' ')}`,
    `\`define WISHBENCH_BOUND_CONNECTIONS ${bound.map(({ port }) => `.${port}(${port}),`).join(' ')}`,
  ];
}

/** What the port block is like. */
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

/** Where in the port block the serial line of the design is, and its rate at first. */
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

/** Size of the capture core of a build. */
export interface CaptureSize {
  /** Bits of a sample. */
  bits: number;
  /** Of the number of samples. */
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
 * The text of GATEWARE_PARAMETERS for one build. A header, not `chparam`: Yosys, Icarus and every vendor's tool
 * read it alike, and it is part of the sources that a build can be repeated from.
 *
 * @param buildId hexadecimal, of any length: the last 16 digits count; '0' for a base bitstream
 * @param pins the ports of the design that the port block reaches; without any there is none
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
      `A line of ${serial.baud} baud needs a clock of at least ${serial.baud * MIN_CLOCKS_PER_BIT} Hz; the board has ${hz} Hz.`,
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
