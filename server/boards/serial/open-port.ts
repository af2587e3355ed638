import { SerialPortStream } from '@serialport/stream';
import type { ControlLines, SerialBinding } from './binding.ts';
import { portOpenError } from './port-error.ts';

interface OpenPortOptions {
  path: string;
  /** Line rate, bits a second. */
  baud: number;
  binding: SerialBinding;
}

export interface OpenedPort {
  readonly port: SerialPortStream;
  /** Whether the driver hands bytes on at once; null where the platform has no such switch. */
  readonly lowLatency: boolean | null;
}

/**
 * Opens a serial port for 8N1 at the line rate, alone, and asks the driver for low latency: for an FTDI chip
 * that is the latency timer at 1 ms instead of 16 (Linux `ftdi_sio`, ASYNC_LOW_LATENCY).
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
  // What the board said to somebody else before is not for this link.
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
