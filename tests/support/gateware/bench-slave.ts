import type { BusAnswer, ModelBus } from '../wishbone/gateware-model.ts';

/** Byte addresses of the tempers of bench.v's slave: the top four bits of the word address. */
export const TEMPER = {
  registered: 0x0000_0000,
  combinational: 0x1000_0000,
  refusing: 0x2000_0000,
  mute: 0x3000_0000,
  slow: 0x4000_0000,
  counting: 0x5000_0000,
  lingering: 0x6000_0000,
  falling: 0x7000_0000,
  both: 0x8000_0000,
} as const;

const WATCHDOG_CLOCKS = 65_536;

/** The slave of bench.v, and the log that it prints. */
export class BenchSlave implements ModelBus {
  readonly log: string[] = [];
  readonly #memory = new Uint32Array(1024);
  #counter = 0;

  read(byteAddress: number): BusAnswer {
    const refused = this.#refuse(byteAddress);
    if (refused) return refused;
    const counting = (byteAddress & 0xf000_0000) === TEMPER.counting;
    const value = counting ? this.#counter++ : (this.#memory[(byteAddress / 4) & 1023] ?? 0);
    this.log.push(`R ${hex(byteAddress)} ${hex(value)}`);
    return value;
  }

  write(byteAddress: number, value: number, select: number): BusAnswer {
    const refused = this.#refuse(byteAddress);
    if (refused) return refused;
    const part = select === 15 ? '' : ` ${select.toString(16)}`;
    this.log.push(`W ${hex(byteAddress)} ${hex(value)}${part}`);
    const at = (byteAddress / 4) & 1023;
    const mask = [0, 1, 2, 3].reduce((all, byte) => all | ((select >> byte) & 1 ? 0xff << (8 * byte) : 0), 0);
    this.#memory[at] = ((this.#memory[at] ?? 0) & ~mask) | (value & mask);
    return 0;
  }

  #refuse(byteAddress: number): 'error' | 'timeout' | null {
    const temper = (byteAddress & 0xf000_0000) >>> 0;
    if (temper === TEMPER.mute) return 'timeout';
    if (temper === TEMPER.slow && ((byteAddress / 4) & 0xffff) >= WATCHDOG_CLOCKS) return 'timeout';
    if (temper !== TEMPER.refusing && temper !== TEMPER.both) return null;
    this.log.push(`E ${hex(byteAddress)}`);
    return 'error';
  }
}

const hex = (word: number) => word.toString(16).padStart(8, '0');
