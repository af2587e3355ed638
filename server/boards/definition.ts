/** The target of a bitstream: the FPGA's configuration memory, or the flash that it boots from. */
export type ProgrammingMode = 'sram' | 'flash';

/** USB-to-UART chips with known rates. */
export type SerialBridge = 'ft2232h' | 'ft231x';

/** The jumper positions for each mode, one sentence in the names that are printed on the board. */
export type Jumpers = { [Mode in ProgrammingMode]?: string };

/** A board of the catalogue: resources/boards/<id>.json next to <id>.pcf (or .lpf, .cst). */
export interface BoardDefinition {
  id: string;
  name: string;
  vendor: string;
  fpga: {
    /** The name of a family in toolchain/families. */
    family: string;
    /** The place-and-route tool's name, e.g. `hx8k`, `up5k`, `25k`. */
    part: string;
    package: string;
  };
  /** The oscillator at the clock pin, and the clock of the base SoC and the design where it differs. */
  clock: {
    hz: number;
    pin: string;
    /** The oscillator's frequency, halved once or several times. */
    user?: { hz: number };
  };
  /** The UART of the Wishbone link; pins are named from the FPGA's side. */
  serial: {
    /** The rate at which contact begins, bits a second: every such board supports it. */
    baud: number;
    /** The USB-to-UART chip, which supports faster rates. Absent: the line stays at `baud`. */
    bridge?: SerialBridge;
    rx: string;
    tx: string;
  };
  leds: { pins: string[]; activeLow: boolean };
  /** Buttons, connectors and more LEDs by the names that are printed on the board: name → pin of the package. */
  pins?: Record<string, string>;
  /** Pins that the base SoC drives high permanently, for other parts of the board. */
  driveHigh?: string[];
  /** Absent for virtual boards. */
  usb?: {
    vendorId: number;
    productId: number;
    /** bcdDevice, where it distinguishes this board from others with the same ids. */
    deviceRelease?: number;
    /** FTDI channel (0 = A, 1 = B) or CDC interface that carries the UART. */
    serialInterface: number;
    /**
     * Regular expression (case-insensitive) that the USB product string must match, where the board has one of its own.
     * A board without it is only a candidate and is never chosen automatically.
     */
    product?: string;
    /** Serial numbers that the vendor puts into every board, which identify nothing. */
    sharedSerials?: string[];
  };
  programmer:
    | { kind: 'virtual' }
    /** The first mode is the default of an assignment. */
    | { kind: 'ice40-mpsse'; modes: ProgrammingMode[]; jumpers?: Jumpers }
    | {
        kind: 'openfpgaloader';
        board: string;
        /** Extension of a bitstream's file, with its dot: openFPGALoader uses it. */
        extension: string;
        modes: ProgrammingMode[];
        /** The flash is write-protected from the factory: flashing fails until a user unlocks it. */
        flashShippedProtected?: boolean;
      };
  /** File name of the pin constraints next to the JSON file. */
  constraints: string;
  remarks: string[];
  sources: string[];
  /** True only when a user has reported that it works. */
  testedOnHardware: boolean;
}

/** The clock of base SoC and design: Hz, and how often the oscillator's frequency is halved for it. */
export function userClock({ clock }: Pick<BoardDefinition, 'clock'>): { hz: number; halvings: number } {
  const hz = clock.user?.hz ?? clock.hz;
  return { hz, halvings: Math.log2(clock.hz / hz) };
}
