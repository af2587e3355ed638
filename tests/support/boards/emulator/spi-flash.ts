/**
 * A serial NOR flash as it sits on iCE40 boards (Winbond W25Q family): 24-bit addresses, 256-byte pages that
 * only clear bits, 64 KiB blocks that erase to ones, a busy bit, deep power-down. Bit by bit, mode 0.
 */
export interface SpiFlashOptions {
  /** Bytes; the address wraps around at it. */
  size?: number;
  /** Manufacturer, type, capacity. */
  id?: [number, number, number];
  /** How many status reads find it busy after an erase or a page. */
  busyReads?: { erase: number; page: number };
  /** Initial contents of a block: ones when it is new. */
  fill?: number;
  /** Blocks that ignore writes and erases, as under protection. */
  protectedBelow?: number;
  /** A cell that always reads as zero: a worn flash. */
  stuckAt?: number;
}

const PAGE = 256;
const BLOCK = 64 * 1024;

export class SpiFlash {
  readonly content: Uint8Array;
  /** Instructions that were executed, by opcode. */
  readonly executed: number[] = [];
  asleep = false;
  readonly #options: Required<Omit<SpiFlashOptions, 'stuckAt'>> & { stuckAt: number | undefined };
  #selected = false;
  #shiftIn = 0;
  #bits = 0;
  #shiftOut = 0xff;
  #command: number[] = [];
  #writeEnabled = false;
  #busyReads = 0;
  #continuousRead = false;
  #page: { address: number; bytes: number[] } | null = null;

  constructor(options: SpiFlashOptions = {}) {
    this.#options = {
      size: 4 << 20,
      id: [0xef, 0x40, 0x16],
      busyReads: { erase: 5, page: 2 },
      fill: 0xff,
      protectedBelow: 0,
      stuckAt: undefined,
      ...options,
    };
    this.content = new Uint8Array(this.#options.size).fill(this.#options.fill);
  }

  /** Leaves the flash in continuous-read mode, as a design that used it would. */
  enterContinuousRead(): void {
    this.#continuousRead = true;
  }

  /** Its supply comes back: writing or erasing has stopped where it was, and the chip is not selected. */
  powerUp(): void {
    this.#selected = false;
    this.#page = null;
    this.#writeEnabled = false;
    this.#busyReads = 0;
  }

  get busy(): boolean {
    return this.#busyReads > 0;
  }

  select(selected: boolean): void {
    if (selected === this.#selected) return;
    this.#selected = selected;
    if (selected) {
      this.#bits = 0;
      this.#command = [];
      this.#shiftOut = 0xff;
      return;
    }
    // Only eight ones in place of an address end continuous reading.
    if (this.#continuousRead) {
      if (this.#command.length >= 8 && this.#command.every((byte) => byte === 0xff))
        this.#continuousRead = false;
    } else {
      this.#finish();
    }
    this.#page = null;
  }

  /** One rising edge of SCK with this level on its input; returns the output level. */
  clock(input: number): number {
    if (!this.#selected) return 1;
    const output = (this.#shiftOut >> 7) & 1;
    this.#shiftOut = ((this.#shiftOut << 1) | 1) & 0xff;
    this.#shiftIn = ((this.#shiftIn << 1) | input) & 0xff;
    if (++this.#bits % 8 === 0) {
      this.#command.push(this.#shiftIn);
      this.#shiftOut = this.#continuousRead ? 0xff : this.#answer();
    }
    return output;
  }

  /** The byte after the received ones. */
  #answer(): number {
    const [opcode] = this.#command;
    const count = this.#command.length;
    if (this.asleep) return 0xff;
    if (opcode === 0x05) {
      if (this.#busyReads > 0) {
        this.#busyReads -= 1;
        return 0x03;
      }
      return this.#writeEnabled ? 0x02 : 0x00;
    }
    if (this.busy) return 0xff;
    if (opcode === 0x9f) return this.#options.id[count - 1] ?? 0;
    if (opcode === 0x03 && count >= 4) return this.#read(this.#address() + count - 4);
    if (opcode === 0x02 && count > 4) {
      this.#page ??= { address: this.#address(), bytes: [] };
      this.#page.bytes.push(this.#command[count - 1] ?? 0);
    }
    return 0xff;
  }

  #address(): number {
    const [, high = 0, middle = 0, low = 0] = this.#command;
    return (high << 16) | (middle << 8) | low;
  }

  #read(address: number): number {
    const at = address % this.#options.size;
    return at === this.#options.stuckAt ? 0 : (this.content[at] ?? 0);
  }

  /** SS rises: instructions that change something take effect now, whole bytes only. */
  #finish(): void {
    const [opcode] = this.#command;
    if (opcode === undefined || this.#bits % 8 !== 0) return;
    this.executed.push(opcode);
    if (this.asleep) {
      if (opcode === 0xab) this.asleep = false;
      return;
    }
    if (this.busy) return;
    if (opcode === 0x06) this.#writeEnabled = true;
    if (opcode === 0xb9) this.asleep = true;
    if (opcode === 0xd8 && this.#command.length === 4) this.#erase(this.#address());
    if (opcode === 0x02 && this.#page) this.#program(this.#page);
  }

  #erase(address: number): void {
    if (!this.#takeWriteEnable(address)) return;
    const start = (address - (address % BLOCK)) % this.#options.size;
    this.content.fill(0xff, start, start + BLOCK);
    this.#busyReads = this.#options.busyReads.erase;
  }

  #program({ address, bytes }: { address: number; bytes: number[] }): void {
    if (!this.#takeWriteEnable(address)) return;
    const start = address - (address % PAGE);
    bytes.forEach((byte, offset) => {
      const at = (start + ((address + offset) % PAGE)) % this.#options.size;
      this.content[at] = (this.content[at] ?? 0) & byte;
    });
    this.#busyReads = this.#options.busyReads.page;
  }

  #takeWriteEnable(address: number): boolean {
    const enabled = this.#writeEnabled;
    this.#writeEnabled = false;
    return enabled && address >= this.#options.protectedBelow;
  }
}
