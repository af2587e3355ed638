import type { Finding } from '../../contract/boards/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';

/**
 * What is known of programming on macOS, where nobody has tried it: the system's serial driver holds both channels of an
 * FTDI chip, and a program that is to take one from it needs root or an entitlement of Apple's (libusb,
 * darwin_detach_kernel_driver). Opening the device proves nothing, so it is said wherever the bench itself programs.
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
