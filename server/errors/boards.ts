import { defineErrors } from './bench-error.ts';

/** Finding, assigning, programming and talking to boards; `fabric_*` are refusals of the virtual board. */
export const boardsError = defineErrors({
  board_unknown: {
    status: 404,
    message: 'No attached board has that id.',
    remedy: 'List the boards (GET /boards) and use one of the ids shown, or plug the board in first.',
  },
  board_ambiguous: {
    status: 409,
    message: 'More than one board of the catalogue has these USB ids.',
    remedy: 'Say which board it is with the field "definition".',
  },
  board_unsupported: {
    status: 422,
    message: 'The attached device is not that board.',
    remedy: 'Choose one of the candidates that the board list shows for this device.',
  },
  board_slot_busy: {
    status: 409,
    message: 'The node is in use, so its board cannot be changed.',
    remedy: 'Release the node or wait until its jobs have ended, then assign the board.',
  },

  // Board check.
  check_running: {
    status: 409,
    message: 'The board of this node is being checked already.',
    remedy: 'Wait until that check has ended, or cancel it.',
  },
  no_board_check: {
    status: 404,
    message: 'The board of this node has not been checked yet.',
    remedy: 'Start a check (Boards screen, or POST /boards/{fpga_id}/check).',
  },
  check_cancelled: {
    status: 409,
    message: 'The check was cancelled.',
    remedy: 'Start it again when the board is free.',
  },
  check_displaced: {
    status: 409,
    message: 'Another user released, reset or took the node while its board was checked.',
    remedy: 'Start the check again when the node is idle.',
  },
  check_words_wrong: {
    status: 502,
    message: 'The board returned wrong words, although the line carried them without errors.',
    remedy:
      'Check the supply and the clock of the board, and run the check again; if it happens twice, please report it with the report file.',
  },
  check_timing_missed: {
    status: 422,
    message: 'The check design does not meet the clock of this board.',
    remedy: 'Please report it with the report file: the design is made to be fast enough for every board.',
  },

  // The presence of a board.
  board_absent: {
    status: 409,
    message: 'The board of this node is not plugged in.',
    remedy: 'Plug the board in, or give the node its virtual board (Boards screen).',
  },
  board_vanished: {
    status: 502,
    message: 'The board was unplugged while it was in use.',
    remedy: 'Plug the board in again and reset the node; a hub without its own supply is a frequent cause.',
  },
  board_in_use: {
    status: 409,
    message: 'The board is busy with another operation.',
    remedy: 'Wait until the operation has ended.',
  },
  usb_unavailable: {
    status: 503,
    message: 'The USB devices of this computer cannot be listed.',
    remedy:
      'Virtual boards need no action. For boards over USB: in a container, pass /dev/bus/usb and /sys through; on a PC, switch USB on in its firmware settings.',
  },
  ports_unavailable: {
    status: 503,
    message: 'The serial ports of this computer cannot be listed.',
    remedy: 'Install udev (Debian: apt install udev); in a container, pass /run/udev and /dev through.',
  },
  usb_permission_denied: {
    status: 502,
    message: 'The system does not let this user open the USB device.',
    remedy: 'Install the udev rules that the doctor shows (npm run doctor), then plug the board in again.',
  },
  usb_busy: {
    status: 502,
    message: 'Another program holds the USB interface.',
    remedy: 'Close other programmers and serial terminals that use the board, then try again.',
  },
  usb_driver_missing: {
    status: 502,
    message: 'The USB interface has no driver that lets a program use it.',
    remedy: 'On Windows, install WinUSB for "Interface 0" of the board with Zadig; see docs/boards.md.',
  },
  usb_transfer_failed: {
    status: 502,
    message: 'A transfer to the board failed.',
    remedy: 'Plug the board in again, in another port or with another cable if it happens twice.',
  },

  // Programming.
  programming_aborted: {
    status: 409,
    message: 'Programming was aborted before it was complete.',
    remedy: 'Reset the node: the FPGA is not configured.',
  },
  programmer_missing: {
    status: 503,
    message: 'openFPGALoader, which programs this board, is not installed.',
    remedy:
      'Install openFPGALoader (Debian: apt install openfpgaloader) and make sure that it is on the PATH.',
  },
  programmer_ambiguous: {
    status: 409,
    message: 'openFPGALoader could not tell this board from another one that is plugged in.',
    remedy: 'Unplug the other board of the same kind while this one is programmed.',
  },
  programmer_failed: {
    status: 502,
    message: 'openFPGALoader failed.',
    remedy: 'Read its last lines in the log; plug the board in again and reset the node.',
  },
  programmer_crashed: {
    status: 502,
    message: 'openFPGALoader crashed.',
    remedy: 'Plug the board in again and reset the node; update openFPGALoader if it happens twice.',
  },
  programmer_deadline: {
    status: 504,
    message: 'openFPGALoader did not finish in time and was stopped.',
    remedy: 'Plug the board in again and reset the node.',
  },
  fpga_not_in_reset: {
    status: 502,
    message: 'The FPGA did not enter reset: CDONE stayed high.',
    remedy: 'Check that this is the board it is assigned as, and its jumpers (docs/boards.md).',
  },
  cdone_low: {
    status: 502,
    message: 'The FPGA did not accept the bitstream: CDONE stayed low.',
    remedy: 'Check that the part and the jumpers (SRAM or flash) match the assignment; see docs/boards.md.',
  },
  flash_not_found: {
    status: 502,
    message: 'The configuration flash does not answer.',
    remedy: 'Check the jumpers: they must connect the USB chip to the flash, not to the FPGA.',
  },
  flash_timeout: {
    status: 502,
    message: 'The configuration flash stayed busy.',
    remedy: 'Reset the node to try again; if it happens twice, the flash may be write-protected or worn.',
  },
  flash_verify_failed: {
    status: 502,
    message: 'The configuration flash differs from the bitstream that was written to it.',
    remedy: 'Reset the node to try again; if it happens twice, the flash may be write-protected or worn.',
  },
  flash_protected: {
    status: 502,
    message: 'The configuration flash is write-protected.',
    remedy:
      'Unlock it once, with openFPGALoader --unprotect-flash or ecpdap flash unprotect, or program in SRAM mode; see docs/boards.md.',
  },

  // Serial link.
  port_missing: {
    status: 502,
    message: 'The board has no serial port.',
    remedy:
      'Check that the system has a serial driver for it (Linux: ftdi_sio or cdc_acm); see docs/boards.md.',
  },
  port_busy: {
    status: 502,
    message: 'Another program has the serial port open.',
    remedy: 'Close serial terminals; if none is open, stop ModemManager or brltty (npm run doctor).',
  },
  port_permission_denied: {
    status: 502,
    message: 'The system does not let this user open the serial port.',
    remedy: "Install the udev rules that the doctor shows, or add the user to the port's group (dialout).",
  },
  port_failed: {
    status: 502,
    message: 'The serial port could not be opened.',
    remedy: 'Plug the board in again; run the doctor (npm run doctor) if it happens twice.',
  },
  fabric_incomplete: {
    status: 500,
    message: 'The bitstream ended before it was complete, so CDONE stayed low.',
    remedy: 'Build the design again; if it is a file of your own, check that all of it was sent.',
  },
  fabric_malformed: {
    status: 500,
    message: 'The configuration port got no valid iCE40 bitstream, so CDONE stayed low.',
    remedy: 'Send the .bin file that icepack makes, unchanged.',
  },
  fabric_crc: {
    status: 500,
    message: 'The CRC of the bitstream does not match its contents, so CDONE stayed low.',
    remedy: 'The bitstream was damaged on its way: build the design again.',
  },
  fabric_wrong_device: {
    status: 500,
    message: 'The bitstream is not for the device on this board, so CDONE stayed low.',
    remedy: 'Build the design for the part and package of this board.',
  },
  fabric_pll: {
    status: 500,
    message: 'The design uses a PLL, which the virtual board does not have.',
    remedy: 'Run the design from the board clock, or use a real board.',
  },
  fabric_warmboot: {
    status: 500,
    message: 'The design uses warm boot, which the virtual board does not have.',
    remedy: 'Remove SB_WARMBOOT from the design, or use a real board.',
  },
  fabric_io: {
    status: 500,
    message: 'The design configures a pin in a way that the virtual board does not support.',
    remedy: 'Use plain, registered or tri-state pins in single-ended mode, or use a real board.',
  },
  fabric_ram: {
    status: 500,
    message: 'The design configures a block RAM in a way that the virtual board does not support.',
    remedy: 'Use block RAMs without cascading, or use a real board.',
  },
  fabric_unknown_bits: {
    status: 500,
    message: 'The bitstream sets configuration bits whose meaning is unknown, so CDONE stayed low.',
    remedy: 'Build the design with nextpnr and icepack; bitstreams of other tools may use undocumented bits.',
  },
  fabric_contention: {
    status: 500,
    message: 'Two outputs drive the same wire, so CDONE stayed low.',
    remedy: 'Build the design again with nextpnr; a pin that the board drives must be an input.',
  },
  fabric_oscillation: {
    status: 500,
    message: 'The design oscillates: a loop of logic without a register never settles.',
    remedy: 'Break the loop that the message names with a register.',
  },
  fabric_stopped: {
    status: 500,
    message: 'The virtual board stopped working.',
    remedy: 'Reset the node; if it happens again with this design, please report it.',
  },
});
