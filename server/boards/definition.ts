/** A board of the catalogue: resources/boards/<id>.json beside <id>.pcf (or .lpf, .cst). */
export interface BoardDefinition {
  id: string;
  name: string;
  vendor: string;
  fpga: {
    family: 'ice40' | 'ecp5' | 'gowin';
    /** As the place-and-route tool names it, e.g. `hx8k`, `up5k`, `25k`. */
    part: string;
    package: string;
  };
  clock: { hz: number; pin: string };
  /** The UART that carries the Wishbone link; pins are named from the FPGA's side. */
  serial: { baud: number; rx: string; tx: string };
  leds: { pins: string[]; activeLow: boolean };
  /** Absent for virtual boards. */
  usb?: {
    vendorId: number;
    productId: number;
    /** bcdDevice, when it tells this board from others with the same ids. */
    deviceRelease?: number;
    /** FTDI channel letter or CDC interface that carries the UART. */
    serialInterface: number;
  };
  programmer:
    | { kind: 'virtual' }
    | { kind: 'ice40-mpsse'; modes: ('sram' | 'flash')[] }
    | { kind: 'openfpgaloader'; board: string };
  /** File name of the pin constraints beside the JSON file. */
  constraints: string;
  remarks: string[];
  sources: string[];
  /** Honest: true only when somebody has reported that it works. */
  testedOnHardware: boolean;
}
