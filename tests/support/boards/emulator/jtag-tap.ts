/** The states of a JTAG TAP controller (IEEE 1149.1), each with the next one for TMS 0 and for TMS 1. */
const NEXT = {
  reset: ['idle', 'reset'],
  idle: ['idle', 'select-dr'],
  'select-dr': ['capture-dr', 'select-ir'],
  'capture-dr': ['shift-dr', 'exit1-dr'],
  'shift-dr': ['shift-dr', 'exit1-dr'],
  'exit1-dr': ['pause-dr', 'update-dr'],
  'pause-dr': ['pause-dr', 'exit2-dr'],
  'exit2-dr': ['shift-dr', 'update-dr'],
  'update-dr': ['idle', 'select-dr'],
  'select-ir': ['capture-ir', 'reset'],
  'capture-ir': ['shift-ir', 'exit1-ir'],
  'shift-ir': ['shift-ir', 'exit1-ir'],
  'exit1-ir': ['pause-ir', 'update-ir'],
  'pause-ir': ['pause-ir', 'exit2-ir'],
  'exit2-ir': ['shift-ir', 'update-ir'],
  'update-ir': ['idle', 'select-dr'],
} as const;

type TapState = keyof typeof NEXT;

/** A part's reaction to its instructions. */
export interface JtagPart {
  /** Bits of the instruction register. */
  readonly instructionBits: number;
  /** The instruction after a reset: IDCODE if there is one. */
  readonly resetInstruction: number;
  /** An instruction is in force (Update-IR). */
  begin(instruction: number): void;
  /** Capture-DR. */
  capture(instruction: number): void;
  /** One rising edge of TCK in Shift-DR; returns the TDO before it. */
  shift(instruction: number, tdi: number): number;
  /** Update-DR. */
  update(instruction: number): void;
}

/** The test access port of one part, edge by edge. */
export class JtagTap {
  readonly #part: JtagPart;
  #state: TapState = 'reset';
  #instruction: number;
  #shifting = 0;

  constructor(part: JtagPart) {
    this.#part = part;
    this.#instruction = part.resetInstruction;
  }

  /** One rising edge of TCK with these levels; returns the TDO before it. */
  clock(tms: number, tdi: number): number {
    const tdo = this.#shift(tdi);
    this.#state = NEXT[this.#state][tms ? 1 : 0];
    this.#enter();
    return tdo;
  }

  #shift(tdi: number): number {
    if (this.#state === 'shift-dr') return this.#part.shift(this.#instruction, tdi);
    if (this.#state !== 'shift-ir') return 1;
    const tdo = this.#shifting & 1;
    this.#shifting = (this.#shifting >> 1) | (tdi << (this.#part.instructionBits - 1));
    return tdo;
  }

  #enter(): void {
    switch (this.#state) {
      case 'reset':
        this.#instruction = this.#part.resetInstruction;
        break;
      case 'capture-ir':
        // The two lowest bits are 01 in every part, so that a broken chain shows.
        this.#shifting = 1;
        break;
      case 'update-ir':
        this.#instruction = this.#shifting;
        this.#part.begin(this.#instruction);
        break;
      case 'capture-dr':
        this.#part.capture(this.#instruction);
        break;
      case 'update-dr':
        this.#part.update(this.#instruction);
        break;
    }
  }
}
