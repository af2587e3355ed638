import { defineErrors } from './bench-error.ts';

/** What can go wrong between the host and the bus; a design that answers with a fault is none of these. */
export const wishboneError = defineErrors({
  link_silent: {
    status: 502,
    message: 'The board does not answer over its UART.',
    remedy:
      'Check that the board is powered, that its UART is wired to the USB chip, and that its line rate is the one in the board file; then reset the node.',
  },
  link_corrupted: {
    status: 502,
    message: 'What came back over the UART does not agree with what was sent: the line damages bytes.',
    remedy:
      'Use a shorter or better cable, a direct USB port or a lower line rate; then reset the node. Words of the failed transfer may or may not have been written.',
  },
  link_closed: {
    status: 502,
    message: 'The link to the board was closed while it was in use.',
    remedy: 'Check that the board is still plugged in, then reset the node.',
  },
  not_wishbench: {
    status: 502,
    message: 'Something answers over the UART, but it is not the base SoC of this bench.',
    remedy:
      'Program the board again, and check that no other program holds its serial port and that the line rate is the one in the board file.',
  },
  address_invalid: {
    status: 422,
    message: 'The address is no multiple of 4 below 2^32, or the transfer would run past the last address.',
    remedy: 'Give a byte address that is a multiple of 4, with room for every word after it.',
  },
  address_reserved: {
    status: 422,
    message: 'Byte addresses from 0xF0000000 belong to the base SoC: they can be read, not written.',
    remedy: 'Write below 0xF0000000, where the design is.',
  },
});
