/**
 * A USB device as `usb` 3 presents it: the part of WebUSB's USBDevice that the bench uses, what `usb` adds to
 * it (bus, ports, kernel drivers), and its third argument, a deadline in milliseconds (1000 when left out).
 *
 * Peculiarities of `usb` 3.1 that callers must respect:
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
  readonly opened: boolean;
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
  /** Rejects where the system does not let devices be listed (no /sys in a container). */
  getDevices(): Promise<UsbBusDevice[]>;
  /**
   * Calls back when something was plugged in or unplugged; returns the function that ends it.
   * Rejects where the system cannot tell: poll then.
   */
  watch(onChange: () => void): Promise<() => Promise<void>>;
}
