import { access, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { UsbBus } from './usb-bus.ts';

/**
 * The driver of an interface in Linux's sysfs: `/sys/bus/usb/devices/1-2:1.0/driver` links to `…/drivers/ftdi_sio`, or
 * to `…/drivers/usbfs` while a program has claimed it. Null without a driver, undefined where sysfs has no such
 * interface. Never rejects.
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

/**
 * The USB bus of this computer, over the package `usb`. It is loaded on first use: without a native part for this
 * computer it fails here, where the caller can report it, instead of at start.
 */
export function nativeUsbBus(): UsbBus {
  let opening: Promise<OpenBus> | undefined;
  const bus = () => {
    opening ??= open();
    return opening;
  };
  return {
    getDevices: async () => (await bus()).getDevices(),
    interfaceDriver: async (location, interfaceNumber) =>
      process.platform === 'linux' ? interfaceDriver(location, interfaceNumber) : undefined,
    watch: async (onChange) => (await bus()).watch(onChange),
  };
}

type OpenBus = Pick<UsbBus, 'getDevices' | 'watch'>;

async function open(): Promise<OpenBus> {
  const { WebUSB } = await import('usb');

  /**
   * `addEventListener` of `usb` 3.1 lets a failed hotplug watch escape as an uncaught exception. The emitter below it
   * allows the failure to be caught.
   */
  class WatchableUsb extends WebUSB {
    async watchChanges(onChange: () => void): Promise<() => Promise<void>> {
      const emitter = this.nativeEmitter;
      await emitter.addAttach(() => onChange());
      await emitter.addDetach(() => onChange());
      return async () => {
        await emitter.removeAttach();
        await emitter.removeDetach();
      };
    }
  }

  const usb = new WatchableUsb({ allowAllDevices: true });
  return {
    getDevices: () => usb.getDevices(),
    watch: (onChange) => usb.watchChanges(onChange),
  };
}
