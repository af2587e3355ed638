/** How a bitstream gets into the FPGA: into its configuration memory, or into the flash that it boots from. */
export type ProgrammingMode = 'sram' | 'flash';

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
    /** FTDI channel (0 = A, 1 = B) or CDC interface that carries the UART. */
    serialInterface: number;
    /**
     * Regular expression (case-insensitive) that the USB product string must match where the board has one of
     * its own; a board without it is offered as a candidate, never chosen by itself.
     */
    product?: string;
    /** Serial numbers that the vendor puts into every board: they identify nothing. */
    sharedSerials?: string[];
  };
  programmer:
    | { kind: 'virtual' }
    /** The first mode is the one used unless the assignment says otherwise. */
    | { kind: 'ice40-mpsse'; modes: ProgrammingMode[] }
    | { kind: 'openfpgaloader'; board: string; modes: ProgrammingMode[] };
  /** File name of the pin constraints beside the JSON file. */
  constraints: string;
  remarks: string[];
  sources: string[];
  /** Honest: true only when somebody has reported that it works. */
  testedOnHardware: boolean;
}
