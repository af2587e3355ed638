import { interfaceDriver } from './interface-driver.ts';
import type { UsbBus } from './usb-bus.ts';

/**
 * The USB bus of this computer, over the package `usb`. It is loaded on first use: a computer for which the
 * package has no native part fails here, where the caller can say so, and not at start.
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
   * `addEventListener` of `usb` 3.1 lets a failing hotplug watch escape as an uncaught exception, so the watch
   * is taken from the emitter below it, where its failure can be caught.
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
