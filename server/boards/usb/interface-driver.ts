import { access, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

/**
 * The driver that an interface has, as Linux's sysfs shows it: `/sys/bus/usb/devices/1-2:1.0/driver` is a link to
 * `…/drivers/ftdi_sio`, or to `…/drivers/usbfs` while a program has claimed the interface. Null while it has none,
 * undefined where sysfs has no such interface. Never rejects.
 * @param location bus and ports of the device, as `usbLocation` gives them.
 */
export async function interfaceDriver(
  location: string,
  interfaceNumber: number,
  sys = '/sys',
): Promise<string | null | undefined> {
  const devices = path.join(sys, 'bus', 'usb', 'devices');
  const value = await readFile(path.join(devices, location, 'bConfigurationValue'), 'utf8').catch(() => '1');
  const folder = path.join(devices, `${location}:${value.trim()}.${interfaceNumber}`);
  try {
    return path.basename(await readlink(path.join(folder, 'driver')));
  } catch {
    return access(folder).then(
      () => null,
      () => undefined,
    );
  }
}
