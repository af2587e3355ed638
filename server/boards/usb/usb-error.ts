import { BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';

/** The step in which a USB call fails: a missing device is not an unplugged one while opening. */
type UsbStage = 'open' | 'use';

/**
 * Translates errors of `usb` into BenchErrors. They are text only: `open error: permission denied (errno 13)`,
 * `claimInterface error: interface is busy (…)`, `transferOut error: Disconnected` (nusb `src/platform/*`, node-usb-rs
 * `src/webusb_device.rs`).
 */
export function usbError(error: unknown, stage: UsbStage): BenchError {
  if (error instanceof BenchError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const cause = { cause: error };
  if (/permission denied|errno 13\b|errno 1\)|access denied/i.test(text))
    return boardsError('usb_permission_denied', cause);
  if (/\bbusy\b|already claimed|already in use|exclusive access/i.test(text))
    return boardsError('usb_busy', cause);
  if (/incompatible driver|WinUSB|not.supported|DeviceInterfaceGUID|could not determine driver/i.test(text))
    return boardsError('usb_driver_missing', cause);
  if (/disconnected|no such device|errno 19\b|device not found|failed to find parent hub/i.test(text))
    return boardsError(stage === 'open' ? 'board_absent' : 'board_vanished', cause);
  const happened: [RegExp, string][] = [
    [/Cancelled|timed? ?out/i, 'A transfer to the board did not end in time.'],
    [/Stall/i, 'The board refused a transfer (stall).'],
  ];
  const message = happened.find(([pattern]) => pattern.test(text))?.[1] ?? 'A transfer to the board failed.';
  return boardsError('usb_transfer_failed', { ...cause, message });
}
