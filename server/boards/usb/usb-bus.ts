/**
 * A USB device of the package `usb` 3: the used part of WebUSB's USBDevice, the additions of `usb` (bus, ports, kernel
 * drivers), and its third argument, a deadline in milliseconds (default 1000).
 * Peculiarities of `usb` 3.1 for callers:
 * - every getter throws while a call on the same object is pending ("The same native value cannot be borrowed mutably
 *   while another borrow is active"): read properties once, from an unused object;
 * - the string getters may open the device and therefore throw;
 * - `controlTransferOut` without data throws: pass an empty array;
 * - a claimed interface keeps the device open past `close()`: release it first;
 * - an endpoint carries one transfer at a time.
 */
export interface UsbBusDevice {
  readonly vendorId: number;
  readonly productId: number;
  /** bcdDevice, digit by digit. */
  readonly deviceVersionMajor: number;
  readonly deviceVersionMinor: number;
  readonly deviceVersionSubminor: number;
  readonly manufacturerName?: string | null;
  readonly productName?: string | null;
  readonly serialNumber?: string | null;
  /** Bits a second by their name: low 1.5 M, full 12 M, high 480 M; undefined where the system does not report it. */
  readonly speed?: 'low' | 'full' | 'high' | 'super' | 'superPlus';
  /** The bus as the platform names it; on Linux its number in decimal digits. */
  readonly bus: string;
  /** Changes with every enumeration on Linux. */
  readonly address: number;
  /** Port numbers from the root hub to the device. */
  readonly ports: readonly number[];

  open(): Promise<void>;
  close(): Promise<void>;
  claimInterface(interfaceNumber: number): Promise<void>;
  releaseInterface(interfaceNumber: number): Promise<void>;
  controlTransferIn(
    setup: USBControlTransferParameters,
    length: number,
    timeout?: number,
  ): Promise<USBInTransferResult>;
  controlTransferOut(
    setup: USBControlTransferParameters,
    data: Uint8Array,
    timeout?: number,
  ): Promise<USBOutTransferResult>;
  transferIn(endpoint: number, length: number, timeout?: number): Promise<USBInTransferResult>;
  transferOut(endpoint: number, data: Uint8Array, timeout?: number): Promise<USBOutTransferResult>;
  clearHalt(direction: USBDirection, endpoint: number): Promise<void>;
  /** Linux only. */
  detachKernelDriver(interfaceNumber: number): Promise<void>;
  /** Linux only. */
  attachKernelDriver(interfaceNumber: number): Promise<void>;
}

/** The USB devices of the computer. */
export interface UsbBus {
  /** Rejects where the system does not allow listing (no /sys in a container). */
  getDevices(): Promise<UsbBusDevice[]>;
  /**
   * The driver of an interface on Linux, e.g. `ftdi_sio`; `usbfs` is a program. Null without one; undefined where the
   * system does not report it, and on other systems. Never rejects.
   * @param location bus and ports of the device, as `usbLocation` gives them.
   */
  interfaceDriver(location: string, interfaceNumber: number): Promise<string | null | undefined>;
  /**
   * Calls back when a device is plugged in or unplugged; returns the function that ends it. Rejects where the system
   * can't report it: poll then.
   */
  watch(onChange: () => void): Promise<() => Promise<void>>;
}
