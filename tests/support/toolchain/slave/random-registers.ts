import type { Choices } from '../expressions/choices.ts';

/** A register of a random slave: what it does, and its Verilog. */
export interface RandomRegister {
  /** Words that it takes. */
  words: number;
  /** Whether a write changes it. */
  isWritable: boolean;
  declaration: string;
  reset: string;
  /** Statements with each clock; `wr` and `rd` are high for one clock of a write and a read of the slave. */
  always: string;
  /** What a read shows. */
  shown: (word: number) => string;
  /** Statements of a read and of a write. */
  onRead: (word: number) => string;
  onWrite: (word: number) => string;
  read: (word: number) => number;
  /** @param data cut to the width of the bus */
  write: (data: number, word: number) => void;
}

/** Assigns written data to a register of so many bits. */
export type Assign = (target: string, bits: number) => string;

export const lowBits = (value: number | bigint, bits: number): number =>
  Number(BigInt.asUintN(bits, BigInt(value)));

/** Makes random registers of a slave. */
export class RegisterMaker {
  /** Writes and reads of the slave so far. */
  writes = 0;
  reads = 0;
  readonly #choose: Choices;
  readonly #dataBits: number;
  readonly #assign: Assign;
  readonly #stored: { name: string; get: () => number }[] = [];
  #count = 0;

  /** @param dataBits of the bus */
  constructor(choose: Choices, dataBits: number, assign: Assign) {
    this.#choose = choose;
    this.#dataBits = dataBits;
    this.#assign = assign;
  }

  /** @param counts whether it may count accesses */
  make(counts = true): RandomRegister {
    const [name, bits] = [`r${this.#count++}`, this.#choose.of([1, 2, 8, this.#dataBits, this.#dataBits])];
    const kinds = [
      () => this.#storage(name, bits),
      () => this.#constant(name),
      ...(counts
        ? [
            () => this.#count8(name, 'wr', () => this.writes),
            () => this.#count8(name, 'rd', () => this.reads),
          ]
        : []),
      () => this.#flags(name),
      () => this.#sumUntilRead(name),
      () => this.#calculated(name),
      () => this.#fifo(name),
      () => this.#window(name),
      () => this.#memory(name, bits),
    ];
    return this.#choose.of(kinds)();
  }

  #one(register: Partial<RandomRegister> & Pick<RandomRegister, 'shown' | 'read'>): RandomRegister {
    const none = {
      words: 1,
      isWritable: register.write !== undefined,
      declaration: '',
      reset: '',
      always: '',
    };
    return { ...none, onRead: () => '', onWrite: () => '', write: () => {}, ...register };
  }

  #storage(name: string, bits: number): RandomRegister {
    const start = lowBits(this.#choose.below(256), bits);
    let value = start;
    this.#stored.push({ name, get: () => value });
    return this.#one({
      declaration: `reg [${bits - 1}:0] ${name};`,
      reset: `${name} <= ${start};`,
      shown: () => name,
      onWrite: () => this.#assign(name, bits),
      read: () => value,
      write: (data) => {
        value = lowBits(data, bits);
      },
    });
  }

  #constant(name: string): RandomRegister {
    const value = lowBits(1 + this.#choose.below(2 ** 32 - 1), this.#dataBits);
    return this.#one({
      declaration: `localparam [${this.#dataBits - 1}:0] ${name} = ${this.#dataBits}'h${value.toString(16)};`,
      shown: () => name,
      read: () => value,
    });
  }

  #count8(name: string, strobe: 'wr' | 'rd', count: () => number): RandomRegister {
    return this.#one({
      declaration: `reg [7:0] ${name};`,
      reset: `${name} <= 0;`,
      always: `if (${strobe}) ${name} <= ${name} + 1;`,
      shown: () => name,
      read: () => lowBits(count(), 8),
    });
  }

  /** A written one clears. */
  #flags(name: string): RandomRegister {
    const bits = this.#dataBits;
    let value = lowBits(-1, bits);
    return this.#one({
      declaration: `reg [${bits - 1}:0] ${name};`,
      reset: `${name} <= {${bits}{1'b1}};`,
      shown: () => name,
      onWrite: () => `${name} <= ${name} & ~din;`,
      read: () => value,
      write: (data) => {
        value = lowBits(BigInt(value) & ~BigInt(data), bits);
      },
    });
  }

  #sumUntilRead(name: string): RandomRegister {
    let value = 0;
    return this.#one({
      declaration: `reg [3:0] ${name};`,
      reset: `${name} <= 0;`,
      shown: () => name,
      onRead: () => `${name} <= 0;`,
      onWrite: () => `${name} <= ${name} + din[3:0];`,
      read: () => {
        const read = value;
        value = 0;
        return read;
      },
      write: (data) => {
        value = lowBits(value + (data % 16), 4);
      },
    });
  }

  #calculated(name: string): RandomRegister {
    if (this.#stored.length === 0) return this.#storage(name, this.#dataBits);
    const [a, b] = [this.#choose.of(this.#stored), this.#choose.of(this.#stored)];
    return this.#one({
      shown: () => `${a.name} * ${b.name} + 1`,
      read: () => lowBits(BigInt(a.get()) * BigInt(b.get()) + 1n, this.#dataBits),
    });
  }

  /** Four bytes, with their number above. */
  #fifo(name: string): RandomRegister {
    const queue: number[] = [];
    return this.#one({
      declaration: `reg [7:0] ${name} [0:3]; reg [2:0] ${name}_n; reg [1:0] ${name}_r, ${name}_w;`,
      reset: `${name}_n <= 0; ${name}_r <= 0; ${name}_w <= 0;`,
      shown: () => `${name}_n == 0 ? 0 : {${name}_n, ${name}[${name}_r]}`,
      onRead: () => `if (${name}_n != 0) begin ${name}_r <= ${name}_r + 1; ${name}_n <= ${name}_n - 1; end`,
      onWrite: () =>
        `if (${name}_n != 4) begin ${name}[${name}_w] <= din[7:0]; ${name}_w <= ${name}_w + 1; ${name}_n <= ${name}_n + 1; end`,
      read: () => lowBits(queue.length * 256 + (queue.shift() ?? 0), this.#dataBits),
      write: (data) => {
        if (queue.length < 4) queue.push(data % 256);
      },
    });
  }

  /** A place, and what is there in a memory: each access goes to the next place. */
  #window(name: string): RandomRegister {
    const memory = Array.from({ length: 16 }, () => 0);
    let place = 0;
    const next = () => {
      const at = place;
      place = (place + 1) % 16;
      return at;
    };
    return this.#one({
      words: 2,
      declaration: `${this.#declared(name, this.#dataBits, 16)} reg [3:0] ${name}_p;`,
      reset: `${name}_p <= 0;`,
      shown: (word) => (word === 0 ? `${name}_p` : `${name}[${name}_p]`),
      onRead: (word) => (word === 0 ? '' : `${name}_p <= ${name}_p + 1;`),
      onWrite: (word) =>
        word === 0 ? `${name}_p <= din[3:0];` : `${name}[${name}_p] <= din; ${name}_p <= ${name}_p + 1;`,
      read: (word) => (word === 0 ? place : memory[next()]!),
      write: (data, word) => {
        if (word === 0) place = data % 16;
        else memory[next()] = data;
      },
    });
  }

  #memory(name: string, bits: number): RandomRegister {
    const words = this.#choose.of([4, 8]);
    const memory = Array.from({ length: words }, () => 0);
    return this.#one({
      words,
      declaration: this.#declared(name, bits, words),
      shown: (word) => `${name}[${word}]`,
      onWrite: (word) => this.#assign(`${name}[${word}]`, bits),
      read: (word) => memory[word]!,
      write: (data, word) => {
        memory[word] = lowBits(data, bits);
      },
    });
  }

  #declared(name: string, bits: number, words: number): string {
    return `reg [${bits - 1}:0] ${name} [0:${words - 1}]; integer ${name}_i;
  initial for (${name}_i = 0; ${name}_i < ${words}; ${name}_i = ${name}_i + 1) ${name}[${name}_i] = 0;`;
  }
}
