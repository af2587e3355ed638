/** A port in `SerialPort.list()`; only the path is certain. */
export interface ListedPort {
  path: string;
  serialNumber?: string | undefined;
  pnpId?: string | undefined;
  locationId?: string | undefined;
}

/**
 * How serialport's stream reaches a port: the system's, a virtual board's or an emulated one. serialport's own types
 * (BindingInterface, BindingPortInterface) are inside @serialport/bindings-interface and not exported.
 */
export interface SerialBinding {
  list(): Promise<ListedPort[]>;
  open(options: PortSettings): Promise<BindingPort>;
}

export interface PortSettings {
  path: string;
  /** Bits a second. */
  baudRate: number;
}

/** An open port. Reads and writes that a close interrupts reject with an error whose `canceled` is true. */
export interface BindingPort {
  readonly openOptions: PortSettings;
  readonly isOpen: boolean;
  close(): Promise<void>;
  /** Resolves with at least one byte. */
  read(buffer: Buffer, offset: number, length: number): Promise<{ buffer: Buffer; bytesRead: number }>;
  write(buffer: Buffer): Promise<void>;
  update(options: { baudRate: number }): Promise<void>;
  set(options: ControlLines): Promise<void>;
  get(): Promise<{ cts: boolean; dsr: boolean; dcd: boolean }>;
  getBaudRate(): Promise<{ baudRate: number }>;
  /** Discards received, unread bytes. */
  flush(): Promise<void>;
  /** Resolves when all written bytes have left. */
  drain(): Promise<void>;
}

export interface ControlLines {
  /** Linux only, and not in serialport's published types: the driver passes bytes on at once. */
  lowLatency?: boolean;
}
