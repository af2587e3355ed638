import { assertNever } from '../../../errors/bench-error.ts';
import { crc16 } from '../../../ice40/crc16.ts';
import { FabricRefusal } from '../refusal.ts';
import {
  BANKS,
  BRAM_HEIGHT,
  BRAM_WIDTH,
  ConfigurationMemory,
  CRAM_HEIGHT,
  CRAM_WIDTH,
} from './configuration-memory.ts';

const PREAMBLE = 0x7eaa997e;

/** CRAM bank widths of the other dies of the family, for a clear refusal (source: icestorm, icepack). */
const OTHER_DIES: Record<number, string> = {
  182: 'iCE40 384',
  332: 'iCE40 1k',
  656: 'iCE40 4k Ultra',
  692: 'iCE40 UltraPlus 5k',
};

type State =
  /** Looking for the preamble; anything before it is comment. */
  | { kind: 'seeking'; last: number }
  | { kind: 'command' }
  | { kind: 'payload'; opcode: number; left: number; value: number }
  | { kind: 'data'; bank: Uint8Array; at: number; left: number }
  /** Two zero bytes after each block of data. */
  | { kind: 'trailer'; left: number }
  | { kind: 'awake' }
  | { kind: 'refused' };

/**
 * The configuration port's command interpreter: takes a bitstream byte by byte, in any split, and fills a configuration
 * memory. Commands are one byte (opcode in the high nibble, length of the payload in the low one) and the payload, most
 * significant byte first. Source: icestorm, "iCE40 bitstream format" and icepack.cc.
 */
export class CommandReader {
  readonly memory = new ConfigurationMemory();
  #state: State = { kind: 'seeking', last: 0 };
  #crc = 0xffff;
  #bank = 0;
  #width = 0;
  #height = 0;
  #offset = 0;
  #delivered = 0;
  /** A CRC has confirmed everything since the last block of data. */
  #confirmed = false;

  /** Bytes received since reset. */
  get bytes(): number {
    return this.#delivered;
  }

  /** True after the wake-up command: the design starts. */
  get awake(): boolean {
    return this.#state.kind === 'awake';
  }

  /** True between the begin and the end of a bitstream. */
  get unfinished(): boolean {
    return this.#state.kind !== 'awake' && this.#state.kind !== 'refused';
  }

  /** The missing part, for the message when a stream ends early. */
  get missing(): string {
    return this.#state.kind === 'seeking'
      ? 'no preamble (7E AA 99 7E) was found'
      : 'the wake-up command is missing';
  }

  /**
   * Takes the next bytes. Bytes after the wake-up command are ignored, as on the chip.
   * @throws FabricRefusal when the stream can't be valid; further bytes are refused too.
   */
  push(bytes: Uint8Array): void {
    this.#delivered += bytes.length;
    try {
      let at = 0;
      while (at < bytes.length) {
        const taken = this.#step(bytes, at);
        if (taken === 0) return;
        at += taken;
      }
    } catch (error) {
      this.#state = { kind: 'refused' };
      throw error;
    }
  }

  /** Consumes some bytes from `at` and returns how many; 0 when the rest does not matter. */
  #step(bytes: Uint8Array, at: number): number {
    const state = this.#state;
    const byte = bytes[at] ?? 0;
    switch (state.kind) {
      case 'seeking':
        state.last = ((state.last << 8) | byte) >>> 0;
        if (state.last === PREAMBLE) this.#state = { kind: 'command' };
        return 1;
      case 'command': {
        this.#crc = crc16(this.#crc, bytes, at, at + 1);
        const left = byte & 15;
        if (left === 0) this.#execute(byte >> 4, 0);
        else this.#state = { kind: 'payload', opcode: byte >> 4, left, value: 0 };
        return 1;
      }
      case 'payload':
        this.#crc = crc16(this.#crc, bytes, at, at + 1);
        state.value = ((state.value << 8) | byte) >>> 0;
        if (--state.left === 0) {
          this.#state = { kind: 'command' };
          this.#execute(state.opcode, state.value);
        }
        return 1;
      case 'data': {
        const end = Math.min(bytes.length, at + state.left);
        this.#crc = crc16(this.#crc, bytes, at, end);
        state.bank.set(bytes.subarray(at, end), state.at);
        state.at += end - at;
        state.left -= end - at;
        if (state.left === 0) this.#state = { kind: 'trailer', left: 2 };
        return end - at;
      }
      case 'trailer':
        this.#crc = crc16(this.#crc, bytes, at, at + 1);
        if (byte !== 0) throw malformed('a block of data is not followed by zeros');
        if (--state.left === 0) this.#state = { kind: 'command' };
        return 1;
      case 'awake':
      case 'refused':
        return 0;
      default:
        return assertNever(state);
    }
  }

  #execute(opcode: number, value: number): void {
    switch (opcode) {
      case 0x0:
        this.#perform(value);
        return;
      case 0x1:
        if (value >= BANKS) throw malformed(`bank ${value} does not exist`);
        this.#bank = value;
        return;
      case 0x2:
        if (this.#crc !== 0)
          throw new FabricRefusal('fabric_crc', 'The CRC of the bitstream does not match its contents.');
        this.#confirmed = true;
        return;
      case 0x4: // boot address: irrelevant without a flash
      case 0x5: // frequency of the oscillator that reads a flash
      case 0x9: // warm-boot and sleep flags
        return;
      case 0x6:
        this.#width = value + 1;
        return;
      case 0x7:
        this.#height = value;
        return;
      case 0x8:
        this.#offset = value;
        return;
      default:
        throw malformed(`unknown command 0x${(opcode << 4).toString(16).padStart(2, '0')}`);
    }
  }

  #perform(action: number): void {
    const { memory } = this;
    switch (action) {
      case 1:
        this.#expectData(memory.cramBank(this.#bank), CRAM_WIDTH, CRAM_HEIGHT);
        return;
      case 3:
        this.#expectData(memory.bramBank(this.#bank), BRAM_WIDTH, BRAM_HEIGHT);
        return;
      case 5:
        this.#crc = 0xffff;
        return;
      case 6:
        if (!this.#confirmed) throw malformed('its wake-up command comes before any CRC');
        this.#state = { kind: 'awake' };
        return;
      case 8:
        throw new FabricRefusal(
          'fabric_warmboot',
          'The bitstream is a multi-boot image that jumps to another address of a flash.',
        );
      default:
        throw malformed(`unknown action ${action}`);
    }
  }

  #expectData(bank: Uint8Array, width: number, height: number): void {
    const other = OTHER_DIES[this.#width];
    if (this.#width !== width && width === CRAM_WIDTH && other)
      throw new FabricRefusal(
        'fabric_wrong_device',
        `The bitstream is for an ${other}, this is an iCE40 8k.`,
      );
    if (this.#width !== width || this.#offset + this.#height > height)
      throw malformed(`a block of ${this.#width} × ${this.#height} bits does not fit an iCE40 8k`);
    this.#confirmed = false;
    const left = (this.#width * this.#height) / 8;
    if (left > 0) this.#state = { kind: 'data', bank, at: (this.#offset * width) / 8, left };
    else this.#state = { kind: 'trailer', left: 2 };
  }
}

const malformed = (what: string) =>
  new FabricRefusal('fabric_malformed', `The bitstream cannot be read: ${what}.`);
