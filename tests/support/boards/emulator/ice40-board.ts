import type { Fabric } from '../../../../server/boards/virtual/fabric.ts';
import { SpiFlash } from './spi-flash.ts';

/** Bits of the FT2232H's AD bus as iCE40 boards wire them. */
const SS = 0x10;
const CDONE = 0x40;
const CRESET = 0x80;
const MISO = 0x04;

/** Milliseconds that an HX8K clears its memory for after CRESET rises: what is clocked in before is lost (FPGA-TN-02001). */
const CLEAR = 1.2;
/** SCK edges after the bitstream until the FPGA has started (FPGA-TN-02001). */
const STARTUP_CLOCKS = 49;

/** Bytes that the FPGA reads from its flash at boot: the largest bitstream is about 136 kB. */
const BOOT_BYTES = 192 * 1024;

/**
 * The printed circuit board around an iCE40: what the AD bus of the FT2232H reaches, its pull-ups, the flash,
 * and the FPGA's configuration port, which is an SPI slave when SS is low as CRESET rises and reads the flash
 * itself otherwise.
 */
export class Ice40Board {
  readonly fabric: Fabric;
  readonly flash: SpiFlash;
  /** Target of the USB chip's SPI, by the jumpers. */
  readonly jumpers: 'sram' | 'flash';
  /** SCK edges of the FPGA after the last byte of the bitstream: it needs 49 to start. */
  clocksAfterData = 0;
  /** Faults to play: a board that never leaves or never enters reset. */
  cdoneStuck: boolean | null = null;

  #value = 0;
  #direction = 0;
  #mode: 'reset' | 'clearing' | 'slave' | 'master' = 'master';
  #released = 0;
  #bits = 0;
  #shift = 0;
  #received: number[] = [];
  /** The fabric takes its work in order. */
  #work: Promise<void> = Promise.resolve();

  readonly #now: () => number;

  /** @param options.now milliseconds of the programmer's clock; performance.now() by default. */
  constructor(options: {
    fabric: Fabric;
    flash?: SpiFlash;
    jumpers?: 'sram' | 'flash';
    now?: () => number;
  }) {
    this.#now = options.now ?? (() => performance.now());
    this.fabric = options.fabric;
    this.flash = options.flash ?? new SpiFlash();
    this.jumpers = options.jumpers ?? 'sram';
  }

  /** The USB chip drives these pins of the AD bus with these levels; what it does not drive is pulled up. */
  drive(value: number, direction: number): void {
    const before = this.#levels();
    this.#value = value;
    this.#direction = direction;
    const after = this.#levels();
    if (before & CRESET && !(after & CRESET)) this.#enterReset();
    if (!(before & CRESET) && after & CRESET) this.#leaveReset((after & SS) !== 0);
    // While the FPGA is not in reset and boots by itself, the bus is its own.
    if (this.jumpers === 'flash') this.flash.select(!(after & SS));
  }

  #levels(): number {
    const pullUps = SS | CRESET | 0x2f;
    return (this.#value & this.#direction) | (pullUps & ~this.#direction);
  }

  /** One rising edge of SCK; returns MISO. */
  clock(mosi: number): number {
    if (this.jumpers === 'flash') return this.flash.clock(mosi);
    if (this.#mode === 'clearing' && this.#now() - this.#released >= CLEAR) this.#mode = 'slave';
    if (this.#mode === 'slave') {
      this.clocksAfterData += 1;
      if (!(this.#levels() & SS)) {
        this.#shift = ((this.#shift << 1) | mosi) & 0xff;
        if (++this.#bits % 8 === 0) this.#received.push(this.#shift);
      }
    }
    return 1;
  }

  /** Delivers the clocked-in bytes since the last call to the FPGA: called at the end of an MPSSE command. */
  deliver(isData: boolean): void {
    if (this.#received.length === 0) return;
    const bytes = Uint8Array.from(this.#received);
    this.#received = [];
    if (isData) {
      this.clocksAfterData = 0;
      this.#queue(() => this.fabric.configure(bytes));
    }
  }

  /** The board lives on USB power: without it everything but what the flash holds is forgotten. */
  power(on: boolean): void {
    this.#value = 0;
    this.#direction = 0;
    if (on) {
      this.flash.powerUp();
      this.#leaveReset(true);
    } else this.#enterReset();
  }

  #enterReset(): void {
    this.#mode = 'reset';
    this.#queue(() => this.fabric.reset());
  }

  #leaveReset(ssHigh: boolean): void {
    this.#bits = 0;
    this.#released = this.#now();
    this.#mode = ssHigh ? 'master' : 'clearing';
    if (ssHigh && this.jumpers === 'flash') this.#queue(() => this.#boot());
  }

  async #boot(): Promise<void> {
    this.flash.asleep = false;
    const content = this.flash.content.subarray(0, BOOT_BYTES);
    if (content.every((byte) => byte === 0xff)) return;
    await this.fabric.configure(content.slice());
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => {});
  }

  get #started(): boolean {
    return this.#mode === 'master' || (this.#mode === 'slave' && this.clocksAfterData >= STARTUP_CLOCKS);
  }

  /** The levels on the AD bus, once the FPGA has taken in everything. */
  async pins(): Promise<number> {
    await this.#work;
    const cdone = this.cdoneStuck ?? (this.#started && (await this.fabric.cdone()));
    return (this.#levels() & ~(CDONE | MISO)) | MISO | (cdone ? CDONE : 0);
  }
}
