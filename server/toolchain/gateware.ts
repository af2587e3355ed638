import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BoardDefinition } from '../boards/definition.ts';
import { resourcePath } from '../paths.ts';

/** What the identity block says at 0xF000_0004; counts up with every change that a host can see. */
export const GATEWARE_VERSION = 1;

/** Top module of every bitstream: ports clk, rx, tx and, on a board with LEDs, leds[0..n-1]. */
export const GATEWARE_TOP = 'wishbench_top';

/** The header that wishbench_top.v includes: must lie where the tool looks for includes. */
export const GATEWARE_PARAMETERS = 'wishbench_parameters.vh';

/** Clocks a bit below which the receiver cannot find the middle of a bit. */
const MIN_CLOCKS_PER_BIT = 4;

const FILES = ['wishbench_uart_rx.v', 'wishbench_fifo.v', 'wishbench_bridge.v', 'wishbench_top.v'] as const;

const read = (name: string) => readFile(resourcePath('gateware', name), 'utf8');

/** The base SoC without the user's slave: file name → Verilog-2001, in the order to read them. */
export async function gatewareSources(): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(FILES.map(async (name) => [name, await read(name)])));
}

/** The stand-in for the user's slave in a base bitstream: answers every access with `err`. */
export async function noDesignSource(): Promise<Record<string, string>> {
  const name = 'wishbench_no_design.v';
  return { [name]: await read(name) };
}

/** SHA-256 of the base SoC's sources, hex: belongs into the build id. */
export async function gatewareHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, text] of Object.entries(await gatewareSources())) hash.update(`${name}\0${text}\0`);
  return hash.digest('hex');
}

/** The part of a build id that the identity block holds: its last 16 hex digits. */
export function shortBuildId(buildId: string): string {
  if (!/^[0-9a-f]*$/.test(buildId)) throw new RangeError(`A build id is hexadecimal, not "${buildId}".`);
  return buildId.slice(-16).padStart(16, '0');
}

/**
 * The text of GATEWARE_PARAMETERS for one build. A header, not `chparam`: Yosys, Icarus and every vendor's tool
 * read it alike, and it is part of the sources that a build can be repeated from.
 *
 * @param buildId hexadecimal, of any length: the last 16 digits count; '0' for a base bitstream
 * @throws RangeError when the board's clock is too slow for its line rate
 */
export function gatewareParameters(
  board: Pick<BoardDefinition, 'clock' | 'serial' | 'leds'>,
  buildId: string,
): string {
  const { clock, serial, leds } = board;
  if (clock.hz < serial.baud * MIN_CLOCKS_PER_BIT)
    throw new RangeError(
      `A line of ${serial.baud} baud needs a clock of at least ${serial.baud * MIN_CLOCKS_PER_BIT} Hz; the board has ${clock.hz} Hz.`,
    );
  const shown = Math.min(leds.pins.length, 8);
  return [
    `\`define WISHBENCH_CLOCK_HZ ${clock.hz}`,
    `\`define WISHBENCH_BAUD ${serial.baud}`,
    `\`define WISHBENCH_BUILD_ID 64'h${shortBuildId(buildId)}`,
    `\`define WISHBENCH_GATEWARE_VERSION ${GATEWARE_VERSION}`,
    ...(shown > 0
      ? [
          `\`define WISHBENCH_LEDS ${shown}`,
          `\`define WISHBENCH_LEDS_ACTIVE_LOW 1'b${leds.activeLow ? 1 : 0}`,
        ]
      : []),
    '',
  ].join('\n');
}
