import type { Clock } from '../../clock.ts';
import { boardsError } from '../../errors/boards.ts';
import type { ProgramContext } from '../board.ts';
import type { Jumpers, ProgrammingMode } from '../definition.ts';
import type { UsbBus } from '../usb/usb-bus.ts';
import { BIT_MODE, FtdiChannel, type FtdiDevice, RESET } from './ftdi-channel.ts';
import { programFlash } from './ice40-flash.ts';
import { Ice40Port } from './ice40-port.ts';
import { programSram } from './ice40-sram.ts';
import { CLOCK_6_MHZ, PLAIN_SPI } from './mpsse.ts';

interface Ice40System {
  bus: Pick<UsbBus, 'interfaceDriver'>;
  clock: Clock;
  /** The board's text on jumper positions. */
  jumpers?: Jumpers;
}

/**
 * Configures an iCE40 through the FT2232H of its board, with channel A as SPI. It always restores latency and bit mode
 * and releases the interface, so that the serial port returns.
 * @param bitstream as icepack writes it, comment header included.
 * @throws BenchError usb_* (not reached), board_vanished, fpga_not_in_reset, cdone_low, flash_*.
 */
export async function programIce40(
  target: FtdiDevice,
  bitstream: Uint8Array,
  mode: ProgrammingMode,
  context: ProgramContext,
  { bus, clock, jumpers = {} }: Ice40System,
): Promise<void> {
  if (bitstream.length === 0) throw boardsError('cdone_low', { message: 'The bitstream is empty.' });
  const { signal } = context;
  const channel = await FtdiChannel.open(target, { interface: 0, bus, clock, ...(signal && { signal }) });
  let latency: number | undefined;
  try {
    await channel.reset(RESET.device);
    await channel.reset(RESET.purgeOut);
    await channel.reset(RESET.purgeIn);
    latency = await channel.latency();
    await channel.setLatency(1);
    // Off first (FTDI AN_135): a killed program may have left the MPSSE in the middle of a command.
    await channel.setBitMode(BIT_MODE.off);
    await channel.setBitMode(BIT_MODE.mpsse);
    const port = new Ice40Port(channel, clock);
    await port.synchronize();
    await port.send([...PLAIN_SPI, ...CLOCK_6_MHZ]);
    if (mode === 'sram') await programSram(port, bitstream, context, jumpers);
    else await programFlash(port, bitstream, context, jumpers);
  } finally {
    await restore(channel, latency);
    await channel.close();
  }
}

/** Restores the chip's earlier settings; a missing device needs none. */
async function restore(channel: FtdiChannel, latency: number | undefined): Promise<void> {
  try {
    if (latency !== undefined) await channel.setLatency(latency);
    await channel.setBitMode(BIT_MODE.off);
  } catch {
    // The caller has the reason of the failure already.
  }
}
