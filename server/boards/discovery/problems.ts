import type { DiscoveryProblem } from '../../contract/boards/boards.ts';
import { boardsError } from '../../errors/boards.ts';
import { usbError } from '../usb/usb-error.ts';

/** A kernel without USB, or a container without access to it: `/sys/bus/usb/devices/ not found (errno 2)`. */
const NO_BUS = /\/sys\/bus\/usb\b.*(?:not found|errno 2\b)/i;

/** Describes for the operator why the USB devices can't be listed. */
export function usbProblem(error: unknown): DiscoveryProblem {
  const { usb_permission_denied: denied, usb_unavailable: unavailable } = boardsError.specs;
  if (usbError(error, 'open').code === 'usb_permission_denied')
    return { code: 'usb_permission_denied', message: denied.message, remedy: denied.remedy };
  const message = NO_BUS.test(String(error))
    ? 'This computer has no USB bus that the bench can see.'
    : unavailable.message;
  return { code: 'usb_unavailable', message, remedy: unavailable.remedy };
}

/** Describes for the operator why the serial ports can't be listed. */
export function portsProblem(error: unknown): DiscoveryProblem {
  const noUdev =
    /udevadm/.test(String(error)) || (error instanceof Error && 'code' in error && error.code === 'ENOENT');
  const { message, remedy } = boardsError.specs.ports_unavailable;
  return {
    code: 'ports_unavailable',
    message: noUdev ? `${message.slice(0, -1)}: udevadm is missing.` : message,
    remedy,
  };
}
