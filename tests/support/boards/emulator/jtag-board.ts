import type { FtdiBoard } from './ft2232h.ts';
import { Ecp5Part } from './jtag-ecp5.ts';
import { JtagTap } from './jtag-tap.ts';
import type { ModelFabric } from './model-fabric.ts';
import { SpiFlash } from './spi-flash.ts';

/** Bits of the FT2232H's AD bus as JTAG probes use them. */
const TCK = 0x01;
const TMS = 0x08;

/** The ECP5 Evaluation Board as its USB chip sees it: the FPGA's TAP on channel A, its UART on channel B. */
export class Ecp5Board implements FtdiBoard {
  readonly fabric: ModelFabric;
  readonly flash: SpiFlash;
  readonly part: Ecp5Part;
  readonly #tap: JtagTap;
  #value = 0;
  #direction = 0;
  /** The fabric takes its work in order. */
  #work: Promise<void> = Promise.resolve();

  /** @param options.idcode LFE5UM5G-85F when absent. */
  constructor(options: { fabric: ModelFabric; flash?: SpiFlash; idcode?: number }) {
    this.fabric = options.fabric;
    // The part decides what is a bitstream: the fabric takes any bytes.
    this.fabric.accepts = () => true;
    this.flash = options.flash ?? new SpiFlash();
    this.part = new Ecp5Part({
      idcode: options.idcode ?? 0x81113043,
      flash: this.flash,
      changed: (configured) => this.#fpga(configured),
    });
    this.#tap = new JtagTap(this.part);
  }

  #fpga(configured: boolean): void {
    const { configuration } = this.part;
    this.#work = this.#work.then(async () => {
      await this.fabric.reset();
      if (!configured) return;
      await this.fabric.configure(configuration);
      await this.fabric.cdone();
    });
  }

  drive(value: number, direction: number): void {
    this.#value = value;
    this.#direction = direction;
  }

  /** One rising edge of TCK; returns TDO. Undriven pins are pulled up, and without TCK there is no edge. */
  clock(tdi: number): number {
    if (!(this.#direction & TCK)) return 1;
    const tms = this.#direction & TMS ? this.#value & TMS : 1;
    return this.#tap.clock(tms, tdi);
  }

  deliver(): void {}

  async pins(): Promise<number> {
    await this.#work;
    return (this.#value & this.#direction) | (0xff & ~this.#direction);
  }

  power(on: boolean): void {
    if (on) this.part.boot();
    else this.#fpga(false);
  }
}
