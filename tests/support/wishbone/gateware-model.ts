/** The design's answer to one access. */
export type BusAnswer = number | 'error' | 'timeout';

export interface ModelBus {
  read(byteAddress: number): BusAnswer;
  /** The value of an accepted write does not matter. @param select its bytes, a bit each */
  write(byteAddress: number, value: number, select: number): BusAnswer;
}

interface ModelIdentity {
  version: number;
  clockHz: number;
  baud: number;
  /** 16 hex digits. */
  buildId: string;
  /** Text of the identifier memory. */
  identifier?: string;
}

/** From here on the base SoC answers with its identifier, no longer with the identity block. */
const IDENTIFIER_BASE = 0xf800_0000;
const PINS_BASE = 0xfc00_0000;

/** Clocks a bit at a rate. */
const clocksOf = (clockHz: number, baud: number) => Math.floor((clockHz + baud / 2) / baud);

/** How far the two rates of a line may be apart before bytes are damaged. */
const SAME_RATE = 0.03;

/** 1 to 4; the upper half of a write to consecutive words masks bytes. */
const isCommand = (byte: number): boolean => (byte >= 1 && byte <= 4) || (byte & 15) === 1;

type State = 'command' | 'length' | 'address' | 'data' | 'deaf';

/** CRC-32 a bit at a time, the way the gateware does it. */
function crcStep(crc: number, byte: number): number {
  let next = crc ^ byte;
  for (let bit = 0; bit < 8; bit++) next = next & 1 ? (next >>> 1) ^ 0xedb8_8320 : next >>> 1;
  return next >>> 0;
}

/**
 * The base SoC as a peer for the link, written from docs/gateware.md: bytes in, bytes out. It has no time; its driver
 * reports silence of the line and damaged bytes.
 */
export class GatewareModel {
  readonly #identity: ModelIdentity;
  readonly #bus: ModelBus;
  #state: State = 'command';
  #count = 0;
  #word = 0;
  #write = false;
  #fixed = false;
  #select = 15;
  #remaining = 0;
  #address = 0;
  #crc = 0xffff_ffff;
  #burstFault = false;
  hold = false;
  designReset = false;
  fault: 'error' | 'timeout' | null = null;
  lineError = false;
  faultAddress = 0;
  transfers = 0;
  #clocksPerBit: number;
  /** The rate was changed, and no valid command has arrived at it. */
  #unproven = false;

  constructor(identity: ModelIdentity, bus: ModelBus) {
    this.#clocksPerBit = clocksOf(identity.clockHz, identity.baud);
    this.#identity = identity;
    this.#bus = bus;
  }

  /** A silence of 100 ms now would be noticed. */
  get listening(): boolean {
    return this.#state !== 'command' || this.#unproven;
  }

  /** Bits a second at which it sends and receives. */
  get baud(): number {
    return this.#identity.clockHz / this.#clocksPerBit;
  }

  /** Whether a host at a rate and the board understand each other. */
  hears(baud: number): boolean {
    return Math.abs(this.baud / baud - 1) < SAME_RATE;
  }

  /** Takes one byte; returns the bytes sent in response. */
  receive(byte: number): number[] {
    if (this.#state === 'deaf') return [];
    this.#crc = crcStep(this.#crc, byte);
    switch (this.#state) {
      case 'command':
        if (!isCommand(byte)) {
          this.lineError = true;
          this.#state = 'deaf';
        } else {
          const command = byte & 15;
          this.#write = command === 1 || command === 3;
          this.#fixed = command >= 3;
          this.#select = ~(byte >> 4) & 15;
          this.#burstFault = false;
          this.#state = 'length';
        }
        return [];
      case 'length':
        this.#remaining = byte;
        this.#expect('address');
        return [];
      case 'address':
        if (!this.#shift(byte)) return [];
        this.#address = ((this.#word & 0x3fff_ffff) * 4) >>> 0;
        if (this.#remaining === 0) {
          this.#state = 'command';
          return [];
        }
        if (this.#write) {
          this.#expect('data');
          return [];
        }
        return this.#answerRead();
      case 'data':
        if (!this.#shift(byte)) return [];
        this.#store(this.#word);
        this.#next();
        if (this.#remaining === 0) this.#state = 'command';
        else this.#expect('data');
        return [];
    }
  }

  /** Configures the FPGA again. */
  configure(): void {
    this.#state = 'command';
    this.#unproven = true;
    this.silence();
    this.#crc = 0xffff_ffff;
    this.hold = false;
    this.designReset = false;
    this.fault = null;
    this.lineError = false;
    this.faultAddress = 0;
    this.transfers = 0;
  }

  /** The line was silent for 100 ms: half a frame is dropped, and so is a rate without a valid command. */
  silence(): void {
    if (!this.listening) return;
    this.#state = 'command';
    this.#unproven = false;
    this.#clocksPerBit = clocksOf(this.#identity.clockHz, this.#identity.baud);
  }

  /** A byte without its stop bit, or one too many for the FIFO. */
  damage(): void {
    this.lineError = true;
    this.#state = 'deaf';
  }

  #expect(state: 'address' | 'data'): void {
    this.#state = state;
    this.#count = 0;
  }

  #shift(byte: number): boolean {
    this.#word = ((this.#word << 8) | byte) >>> 0;
    return ++this.#count === 4;
  }

  #next(): void {
    if (!this.#fixed) this.#address = (this.#address + 4) >>> 0;
    this.#remaining--;
  }

  get #own(): boolean {
    return this.#address >= 0xf000_0000;
  }

  get #block(): boolean {
    return this.#own && this.#address < IDENTIFIER_BASE;
  }

  get #register(): number {
    return (this.#address >>> 2) & 15;
  }

  #answerRead(): number[] {
    const bytes: number[] = [];
    while (this.#remaining > 0) {
      const isCrc = this.#block && this.#register === 15;
      const word = this.#load();
      for (const shift of [24, 16, 8, 0]) {
        const byte = (word >>> shift) & 255;
        bytes.push(byte);
        if (!isCrc) this.#crc = crcStep(this.#crc, byte);
      }
      if (isCrc) this.#crc = 0xffff_ffff;
      this.#next();
    }
    this.#state = 'command';
    return bytes;
  }

  #load(): number {
    if (this.#block) return this.#readRegister();
    if (this.#own && this.#address >= PINS_BASE) return 0; // without ports there is no port block
    if (this.#own) return this.#identity.identifier?.charCodeAt((this.#address >>> 2) & 63) || 0;
    return this.#access(() => this.#bus.read(this.#address));
  }

  #store(value: number): void {
    if (!this.#own) {
      this.#access(() => this.#bus.write(this.#address, value, this.#select));
    } else if (!this.#block) {
      return; // the identifier is read only
    } else if (this.#register === 8) {
      this.#clocksPerBit = value + 1;
      this.#unproven = true;
    } else if (this.#register === 12) {
      this.#unproven = false;
      this.hold = (value & 1) !== 0;
      this.designReset = (value & 2) !== 0;
      this.fault = null;
      this.lineError = false;
    }
  }

  #access(answer: () => BusAnswer): number {
    if (this.#burstFault || (this.hold && this.fault)) return 0;
    const result = answer();
    if (typeof result === 'number') {
      this.transfers = (this.transfers + 1) & 0xffff;
      return result;
    }
    this.#burstFault = true;
    if (!this.fault) {
      this.fault = result;
      this.faultAddress = this.#address;
    }
    return 0;
  }

  #readRegister(): number {
    const { version, clockHz, baud, buildId } = this.#identity;
    switch (this.#register) {
      case 0:
        return 0x5742_4348;
      case 1:
        return version;
      case 2:
        return clockHz;
      case 3:
        return baud;
      case 4:
        return Number.parseInt(buildId.slice(0, 8), 16);
      case 5:
        return Number.parseInt(buildId.slice(8), 16);
      case 6:
        return 2048;
      case 7:
        return 65_536;
      case 13:
        return this.faultAddress;
      case 14: {
        const kind = this.fault === 'error' ? 3 : this.fault === 'timeout' ? 1 : 0;
        const flags = kind | (this.lineError ? 4 : 0) | (this.hold ? 8 : 0) | (this.designReset ? 16 : 0);
        return this.transfers * 65_536 + flags;
      }
      case 15: {
        const crc = ~this.#crc >>> 0; // its low byte goes first
        return (((crc & 255) << 24) | ((crc & 0xff00) << 8) | ((crc >>> 8) & 0xff00) | (crc >>> 24)) >>> 0;
      }
      default:
        return 0;
    }
  }
}
