import { boardsError } from '../../errors/boards.ts';
import type { ProgramContext } from '../board.ts';
import type { Jumpers } from '../definition.ts';
import { abortablePause } from './abort.ts';
import { answeringFlash } from './ice40-flash.ts';
import type { Ice40Port } from './ice40-port.ts';
import { idleClocks, PIN, pins, shiftOutAll } from './mpsse.ts';

/** Milliseconds; the sequence is iceprog's (YosysHQ/icestorm `iceprog/iceprog.c`). */
const SETTLE = 100;
const RESET_PULSE = 0.1;
/**
 * Time from CRESET's release until the FPGA has cleared its memory: at least 1.2 ms on the HX8K (Lattice
 * FPGA-TN-02001). A timer may fire a millisecond early, so iceprog's 2 would be too close.
 */
const CLEAR = 5;
const CDONE_DEADLINE = 100;

const CHECK_PART =
  'Check that the jumpers select SRAM programming and that the part is the assigned one; see docs/boards.md.';

/** Wrong jumpers are the likeliest cause: the bitstream went to the flash. */
const jumpersAtFlash = (flash: string, { sram }: Jumpers) =>
  boardsError('cdone_low', {
    message: `The jumpers select the configuration flash (${flash} answers), not the FPGA: CDONE stayed low.`,
    remedy: `${sram ? `For SRAM: ${sram}` : 'Set the jumpers for SRAM programming; see docs/boards.md.'} Or assign the board in the mode "flash".`,
  });

/**
 * Writes the bitstream into the FPGA's configuration memory: SS low at CRESET's release makes the iCE40 an SPI slave.
 * @param jumpers the board's text on jumper positions.
 * @throws fpga_not_in_reset, cdone_low, and what the channel throws.
 */
export async function programSram(
  port: Ice40Port,
  bitstream: Uint8Array,
  { log, progress, signal }: ProgramContext,
  jumpers: Jumpers,
): Promise<void> {
  const { clock } = port;
  await port.send(pins());
  await abortablePause(clock, SETTLE, signal);
  await port.send(pins(PIN.ss, PIN.creset));
  await abortablePause(clock, RESET_PULSE, signal);
  await port.send(pins(PIN.ss));
  await abortablePause(clock, CLEAR, signal);
  if (await port.cdone()) throw boardsError('fpga_not_in_reset');

  log(`writing ${bitstream.length} bytes into the FPGA over SPI at 6 MHz`);
  const data = shiftOutAll(bitstream);
  await port.send(data, (sent) => progress(sent / data.length));
  await port.send(idleClocks(6, 1));
  if (!(await port.cdoneWithin(CDONE_DEADLINE))) {
    const flash = await answeringFlash(port, signal);
    throw flash === null ? boardsError('cdone_low', { remedy: CHECK_PART }) : jumpersAtFlash(flash, jumpers);
  }
  await port.send(pins());
  log('CDONE is high: the FPGA is configured');
}
