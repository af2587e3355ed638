import { writeBitstream } from './bitstream.ts';
import { readConfiguration } from './configuration.ts';

/** Name and version of the packer in reports and build ids. It counts up with every change of the output. */
export const PACKER_VERSION = 'Wishbench packer 1';

/**
 * Packs a routed iCE40 design. The bitstream equals that of icepack without options, byte for byte.
 * @param asc output of nextpnr
 * @throws UnreadableConfiguration for any other text
 */
export const packIce40 = (asc: Uint8Array): Uint8Array => writeBitstream(readConfiguration(asc));
