import { writeBitstream } from './bitstream.ts';
import { readConfiguration } from './configuration.ts';

/** Who packs, for reports and the identity of builds. Counts up with every change of what comes out. */
export const PACKER_VERSION = 'Wishbench packer 1';

/**
 * The bitstream of a placed and routed iCE40 design: byte for byte what icepack makes of it without options.
 * @param asc as nextpnr writes it
 * @throws UnreadableConfiguration for anything else
 */
export const packIce40 = (asc: Uint8Array): Uint8Array => writeBitstream(readConfiguration(asc));
