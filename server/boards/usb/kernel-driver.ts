import type { UsbBus, UsbBusDevice } from './usb-bus.ts';

/**
 * Gives interfaces without a driver back to the kernel, so that their serial ports return. A program that failed or was
 * killed may leave them so. Permission to open the device is enough (usbfs, USBDEVFS_CONNECT). An interface in use by a
 * program is left alone.
 * @returns the interfaces that still have no driver; empty where the system does not report it. Never rejects.
 */
export async function reattachKernelDrivers(
  bus: Pick<UsbBus, 'interfaceDriver'>,
  { device, location }: { device: UsbBusDevice; location: string },
  interfaces: readonly number[],
): Promise<number[]> {
  const bare: number[] = [];
  for (const one of interfaces) if ((await bus.interfaceDriver(location, one)) === null) bare.push(one);
  if (bare.length === 0) return [];
  const left: number[] = [];
  try {
    await device.open();
  } catch {
    return bare;
  }
  for (const one of bare) await device.attachKernelDriver(one).catch(() => left.push(one));
  await device.close().catch(() => {});
  return left;
}
