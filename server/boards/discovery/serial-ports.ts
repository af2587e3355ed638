import type { SerialBinding } from '../serial/binding.ts';
import { type PortPlace, placeFromListing, placeFromSysfs } from './port-place.ts';

/** A serial port of the system and its place on the USB, where known. */
export interface SerialPortInfo extends PortPlace {
  /** The system's name of it, e.g. `/dev/ttyUSB1`, `COM7`. It changes, so it is never an identity. */
  path: string;
}

/** The serial ports of a computer. */
export interface SerialPorts {
  /** Rejects where ports can't be listed (on Linux: no udevadm). */
  list(): Promise<SerialPortInfo[]>;
  binding(): Promise<SerialBinding>;
}

/** The serial ports of this computer, over the package `serialport`; its native part is loaded on first use. */
export function nativeSerialPorts(platform: NodeJS.Platform = process.platform): SerialPorts {
  const binding = async (): Promise<SerialBinding> => (await import('serialport')).SerialPort.binding;
  return {
    binding,
    async list() {
      const ports = await (await binding()).list();
      return Promise.all(
        ports.map(async (port) => {
          const listed = placeFromListing(port, platform);
          const exact = platform === 'linux' ? await placeFromSysfs(port.path) : null;
          return { path: port.path, ...listed, ...(exact && { ...exact, serial: listed.serial }) };
        }),
      );
    },
  };
}
