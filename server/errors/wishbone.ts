import { defineErrors } from './bench-error.ts';

/** Errors between the host and the bus; a bus fault from the design is not one of them. */
export const wishboneError = defineErrors({
  link_silent: {
    status: 502,
    message: 'The board does not answer over its UART.',
    remedy:
      'Check that the board is powered, that its UART is wired to the USB chip, and that its line rate is the one in the board file; then reset the node.',
  },
  link_corrupted: {
    status: 502,
    message: 'The answer over the UART is corrupted: the line damages bytes.',
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
  count_invalid: {
    status: 422,
    message: 'A transaction has too many words, or none.',
    remedy: 'Split it; GET /settings shows the maximum words of one run, which applies to streams too.',
  },
  frame_invalid: {
    status: 422,
    message: 'The stream received an invalid frame.',
    remedy: 'docs/stream.md describes the frames.',
  },
  address_invalid: {
    status: 422,
    message:
      'The address is not a multiple of 4 below 2^32, or the transfer would run past the last address.',
    remedy: 'Give a byte address that is a multiple of 4, with room for every word after it.',
  },
  register_unknown: {
    status: 422,
    message: 'The register map has no register or field of that name.',
    remedy: 'GET /designs/{design_id}/map has the names.',
  },
  pin_unknown: {
    status: 422,
    message: 'The design has no pin of that name.',
    remedy:
      'GET /fpga/{fpga_id}/pins shows the pins; the log of the build says which ports are tied instead.',
  },
  pin_not_input: {
    status: 422,
    message: 'Only inputs of the design can be set.',
    remedy: 'Leave its outputs out; none of the pins of the request was set.',
  },
  pin_too_wide: {
    status: 422,
    message: 'A value has more bits than its pin.',
    remedy: 'Give a value that fits; none of the pins of the request was set.',
  },
  no_terminal: {
    status: 404,
    message: 'The design has no serial line among its pins.',
    remedy:
      'Name a one-bit input and output alike except for rx and tx, such as uart_rx and uart_tx, and submit it again.',
  },
  terminal_busy: {
    status: 503,
    message: 'Earlier bytes are not on the serial line of the design yet.',
    remedy: 'Send less at once, or set a faster rate.',
  },
  address_reserved: {
    status: 422,
    message: 'Byte addresses from 0xF0000000 belong to the base SoC: they can be read, not written.',
    remedy: 'Write below 0xF0000000, where the design is.',
  },
});
