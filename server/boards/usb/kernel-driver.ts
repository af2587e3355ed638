import type { UsbBus, UsbBusDevice } from './usb-bus.ts';

/**
 * Gives interfaces of a device that have no driver back to the kernel, so that their serial ports return: a program that
 * took them and failed or was killed leaves them bare. Whoever may open the device may do this (usbfs,
 * USBDEVFS_CONNECT); no other privilege is needed. An interface that a program has is left alone.
 * @returns the interfaces that still have no driver; empty where the system does not say. Never rejects.
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
