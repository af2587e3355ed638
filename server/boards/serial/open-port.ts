import { SerialPortStream } from '@serialport/stream';
import { BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';
import type { ControlLines, SerialBinding } from './binding.ts';

/**
 * Translates the errors of opening a `serialport` port, which are text only. Linux and macOS give strerror(3) (`Error:
 * Permission denied, cannot open /dev/ttyUSB1`, `Error Resource temporarily unavailable Cannot lock port`). Windows has
 * fixed texts (`Opening COM7: Access denied`), and reports a port in use as denied access.
 */
export function portOpenError(error: unknown, platform: NodeJS.Platform = process.platform): BenchError {
  if (error instanceof BenchError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const cause = { cause: error };
  if (/cannot lock|resource busy|temporarily unavailable|EBUSY|EAGAIN/i.test(text))
    return boardsError('port_busy', cause);
  if (/access denied/i.test(text) && platform === 'win32') return boardsError('port_busy', cause);
  if (/permission denied|access denied|EACCES|EPERM/i.test(text))
    return boardsError('port_permission_denied', cause);
  if (/no such file|file not found|no such device|ENOENT|ENXIO|ENODEV|Input\/output error/i.test(text))
    return boardsError('port_missing', cause);
  return boardsError('port_failed', cause);
}

interface OpenPortOptions {
  path: string;
  /** Line rate, bits a second. */
  baud: number;
  binding: SerialBinding;
}

export interface OpenedPort {
  readonly port: SerialPortStream;
  /** Whether the driver passes bytes on at once; null where the platform has no such switch. */
  readonly lowLatency: boolean | null;
}

/**
 * Opens a serial port exclusively for 8N1 at the line rate, with low latency. For an FTDI chip that sets the latency
 * timer to 1 ms instead of 16 (Linux `ftdi_sio`, ASYNC_LOW_LATENCY).
 * @throws port_busy, port_permission_denied, port_missing, port_failed.
 */
export async function openPort({ path, baud, binding }: OpenPortOptions): Promise<OpenedPort> {
  const settings = {
    path,
    baudRate: baud,
    autoOpen: false,
    // Closing must not pulse the modem lines: on some boards they reach the FPGA's reset.
    hupcl: false,
    binding,
  };
  const port = new SerialPortStream(settings);
  try {
    await new Promise<void>((resolve, reject) => {
      port.open((error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    throw portOpenError(error);
  }
  const lowLatency = await requestLowLatency(port);
  // Discard bytes that the board sent to an earlier user of the port.
  await new Promise<void>((resolve) => port.flush(() => resolve()));
  return { port, lowLatency };
}

async function requestLowLatency(port: SerialPortStream): Promise<boolean | null> {
  if (process.platform !== 'linux') return null;
  const request: ControlLines = { lowLatency: true };
  try {
    await new Promise<void>((resolve, reject) => {
      port.set(request, (error) => (error ? reject(error) : resolve()));
    });
    return true;
  } catch {
    return false;
  }
}
