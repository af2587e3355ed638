/** How a bitstream gets into the FPGA: into its configuration memory, or into the flash that it boots from. */
export type ProgrammingMode = 'sram' | 'flash';

/** Chips between USB and UART whose rates are known. */
export type SerialBridge = 'ft2232h' | 'ft231x';

/** For each mode where the board's jumpers belong, one sentence in the names that are printed on the board. */
export type Jumpers = { [Mode in ProgrammingMode]?: string };

/** A board of the catalogue: resources/boards/<id>.json beside <id>.pcf (or .lpf, .cst). */
export interface BoardDefinition {
  id: string;
  name: string;
  vendor: string;
  fpga: {
    /** The name of one in toolchain/families. */
    family: string;
    /** As the place-and-route tool names it, e.g. `hx8k`, `up5k`, `25k`. */
    part: string;
    package: string;
  };
  /** The oscillator at the clock pin, and the clock of the base SoC and the design where that is another. */
  clock: {
    hz: number;
    pin: string;
    /** The oscillator's frequency, halved once or several times. */
    user?: { hz: number };
  };
  /** The UART that carries the Wishbone link; pins are named from the FPGA's side. */
  serial: {
    /** The rate at which contact begins, bits a second: one that every such board is sure to do. */
    baud: number;
    /** The chip between USB and UART, which can go faster. Absent: the line stays at `baud`. */
    bridge?: SerialBridge;
    rx: string;
    tx: string;
  };
  leds: { pins: string[]; activeLow: boolean };
  /** Buttons, connectors and more LEDs by the names that are printed on the board: name → pin of the package. */
  pins?: Record<string, string>;
  /** Pins that the base SoC drives high for good, for the sake of something else on the board. */
  driveHigh?: string[];
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
    | { kind: 'ice40-mpsse'; modes: ProgrammingMode[]; jumpers?: Jumpers }
    | {
        kind: 'openfpgaloader';
        board: string;
        /** Of a bitstream's file, with its dot: openFPGALoader goes by it. */
        extension: string;
        modes: ProgrammingMode[];
        /** The flash comes write-protected from the factory: flashing fails until somebody has unlocked it. */
        flashShippedProtected?: boolean;
      };
  /** File name of the pin constraints beside the JSON file. */
  constraints: string;
  remarks: string[];
  sources: string[];
  /** Honest: true only when somebody has reported that it works. */
  testedOnHardware: boolean;
}

/** What base SoC and design are clocked with: Hz, and how often the oscillator's frequency is halved for it. */
export function userClock({ clock }: Pick<BoardDefinition, 'clock'>): { hz: number; halvings: number } {
  const hz = clock.user?.hz ?? clock.hz;
  return { hz, halvings: Math.log2(clock.hz / hz) };
}
