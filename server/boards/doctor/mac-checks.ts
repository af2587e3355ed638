import type { Finding } from '../../contract/boards/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';

/**
 * Warns about programming on macOS, which is untested. The system's serial driver owns both channels of an FTDI chip;
 * to take one, a program needs root or an entitlement of Apple's (libusb, darwin_detach_kernel_driver). Opening the
 * device proves nothing, so every board with the bench's own programmer gets the warning.
 */
export function checkMac(attached: readonly AttachedBoard[]): Finding[] {
  return attached
    .filter((board) => board.candidates.some(({ programmer }) => programmer.kind === 'ice40-mpsse'))
    .map((board) => ({
      id: `mac:${board.location}`,
      title: `Programming the board at USB port ${board.location} on macOS`,
      status: 'warning',
      message:
        "Not tried yet. Apple's serial driver holds the FTDI chip, and taking channel A from it may need root; the serial link does not.",
      remedy:
        'If programming fails with usb_busy or usb_permission_denied, start the bench with sudo, or write the flash with openFPGALoader (brew install openfpgaloader; openFPGALoader -b ice40_generic FILE). Please report what works.',
    }));
}
