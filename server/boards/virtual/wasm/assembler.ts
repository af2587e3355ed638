/**
 * Writer of the WebAssembly binary format (source: WebAssembly core specification 2.0, section 5); locals are i32 only.
 */
class ByteWriter {
  #data: Uint8Array;
  length = 0;

  constructor(capacity = 256) {
    this.#data = new Uint8Array(capacity);
  }

  byte(value: number): void {
    if (this.length === this.#data.length) this.#grow(1);
    this.#data[this.length++] = value;
  }

  /** Unsigned LEB128. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    do {
      const low = rest & 0x7f;
      rest >>>= 7;
      this.byte(rest ? low | 0x80 : low);
    } while (rest);
  }

  /** Signed LEB128. */
  signed(value: number): void {
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      const last = (rest === 0 && !(low & 0x40)) || (rest === -1 && low & 0x40);
      this.byte(last ? low : low | 0x80);
      if (last) return;
    }
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.unsigned(bytes.length);
    this.append(bytes);
  }

  append(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.#data.length) this.#grow(bytes.length);
    this.#data.set(bytes, this.length);
    this.length += bytes.length;
  }

  bytes(): Uint8Array {
    return this.#data.subarray(0, this.length);
  }

  #grow(by: number): void {
    const larger = new Uint8Array(Math.max(this.#data.length * 2, this.length + by));
    larger.set(this.#data);
    this.#data = larger;
  }
}

export const I32 = {
  eqz: 0x45,
  eq: 0x46,
  ne: 0x47,
  gtS: 0x4a,
  geS: 0x4e,
  popcnt: 0x69,
  add: 0x6a,
  sub: 0x6b,
  mul: 0x6c,
  and: 0x71,
  or: 0x72,
  xor: 0x73,
  shl: 0x74,
  shrS: 0x75,
  shrU: 0x76,
} as const;

/** Instructions on four words at a time. */
export const V128 = {
  /** All bits of the words that differ. */
  notEqual: [0x38],
  /** The highest bit of each word, as four bits. */
  bitmask: [0xa4, 0x01],
} as const;

/** Prefix of instructions on four words. */
const VECTOR_PREFIX = 0xfd;

const TYPE_I32 = 0x7f;
const NO_RESULT = 0x40;

export type Local = number;

/** Body of one function under construction. Operands go onto the stack before their instruction. */
export class FunctionBody {
  readonly code = new ByteWriter(1024);
  #locals: number;
  #most: number;
  /** Approximate size: the number of operations written. */
  operations = 0;

  constructor(
    readonly name: string,
    readonly parameters: number,
    readonly results: 0 | 1,
  ) {
    this.#locals = parameters;
    this.#most = parameters;
  }

  get localCount(): number {
    return this.#most - this.parameters;
  }

  newLocal(): Local {
    this.#most = Math.max(this.#most, this.#locals + 1);
    return this.#locals++;
  }

  /** Runs `write`; its locals are free for reuse afterwards. */
  scoped(write: () => void): void {
    const before = this.#locals;
    write();
    this.#locals = before;
  }

  constant(value: number): void {
    this.code.byte(0x41);
    this.code.signed(value);
  }

  get(local: Local): void {
    this.code.byte(0x20);
    this.code.unsigned(local);
  }

  set(local: Local): void {
    this.code.byte(0x21);
    this.code.unsigned(local);
  }

  tee(local: Local): void {
    this.code.byte(0x22);
    this.code.unsigned(local);
  }

  op(instruction: number): void {
    this.operations++;
    this.code.byte(instruction);
  }

  /** Replaces (x, y, condition) on the stack by x where the condition is not 0, else y. */
  select(): void {
    this.op(0x1b);
  }

  /** The word at a fixed address. */
  load(address: number): void {
    this.constant(0);
    this.loadAt(address);
  }

  /** Stores what `value` pushes at a fixed address. */
  store(address: number, value: () => void): void {
    this.constant(0);
    value();
    this.code.byte(0x36);
    this.code.byte(2);
    this.code.unsigned(address);
    this.operations++;
  }

  vectorOp(instruction: readonly number[]): void {
    this.operations++;
    for (const byte of [VECTOR_PREFIX, ...instruction]) this.code.byte(byte);
  }

  /** Four words from a fixed address on. */
  loadVector(address: number): void {
    this.constant(0);
    this.code.byte(VECTOR_PREFIX);
    this.code.byte(0);
    this.code.byte(2);
    this.code.unsigned(address);
    this.operations++;
  }

  /** Stores what `value` pushes as four words. */
  storeVector(address: number, value: () => void): void {
    this.constant(0);
    value();
    this.code.byte(VECTOR_PREFIX);
    this.code.byte(0x0b);
    this.code.byte(2);
    this.code.unsigned(address);
    this.operations++;
  }

  /** The word at `base` plus the byte offset on the stack. */
  loadAt(base: number): void {
    this.code.byte(0x28);
    this.code.byte(2);
    this.code.unsigned(base);
    this.operations++;
  }

  /** The byte at `base` plus the offset on the stack. */
  load8(base: number): void {
    this.code.byte(0x2d);
    this.code.byte(0);
    this.code.unsigned(base);
    this.operations++;
  }

  /** The 16-bit word at `base` plus the byte offset on the stack. */
  load16(base: number): void {
    this.code.byte(0x2f);
    this.code.byte(1);
    this.code.unsigned(base);
    this.operations++;
  }

  /** Stores 16 bits; offset and value are on the stack. */
  store16(base: number): void {
    this.code.byte(0x3b);
    this.code.byte(1);
    this.code.unsigned(base);
    this.operations++;
  }

  /** `if` over the condition on the stack. */
  if(then: () => void, otherwise?: () => void): void {
    this.code.byte(0x04);
    this.code.byte(NO_RESULT);
    then();
    if (otherwise) {
      this.code.byte(0x05);
      otherwise();
    }
    this.code.byte(0x0b);
    this.operations++;
  }

  /** `block { loop { … } }`: inside, `leave(1)` ends it and `leave(0)` starts over; nothing falls through. */
  loop(write: () => void): void {
    this.code.byte(0x02);
    this.code.byte(NO_RESULT);
    this.code.byte(0x03);
    this.code.byte(NO_RESULT);
    write();
    this.code.byte(0x0b);
    this.code.byte(0x0b);
  }

  /** Branches out of (or, for loops, to the start of) the block `depth` levels up. */
  branch(depth: number): void {
    this.code.byte(0x0c);
    this.code.unsigned(depth);
  }

  branchIf(depth: number): void {
    this.code.byte(0x0d);
    this.code.unsigned(depth);
  }

  /** Runs one of the ways, selected by the number that `index` pushes; a larger number selects the last. */
  choose(ways: readonly (() => void)[], index: () => void): void {
    const last = ways.length - 1;
    const block = () => {
      this.code.byte(0x02);
      this.code.byte(NO_RESULT);
    };
    block();
    ways.forEach(block);
    index();
    this.code.byte(0x0e);
    this.code.unsigned(last);
    for (let way = 0; way <= last; way++) this.code.unsigned(way);
    ways.forEach((write, way) => {
      this.code.byte(0x0b);
      write();
      this.branch(last - way);
    });
    this.code.byte(0x0b);
    this.operations++;
  }

  call(index: number): void {
    this.code.byte(0x10);
    this.code.unsigned(index);
    this.operations++;
  }
}

/** A module that imports its memory as `env.memory` and exports every function by its name. */
export function assembleModule(functions: FunctionBody[]): Uint8Array {
  const out = new ByteWriter(1 << 16);
  out.append(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const section = (id: number, write: (body: ByteWriter) => void) => {
    const body = new ByteWriter(1 << 12);
    write(body);
    out.byte(id);
    out.unsigned(body.length);
    out.append(body.bytes());
  };
  section(1, (types) => {
    types.unsigned(functions.length);
    for (const { parameters, results } of functions) {
      types.byte(0x60);
      types.unsigned(parameters);
      for (let i = 0; i < parameters; i++) types.byte(TYPE_I32);
      types.unsigned(results);
      for (let i = 0; i < results; i++) types.byte(TYPE_I32);
    }
  });
  section(2, (imports) => {
    imports.unsigned(1);
    imports.text('env');
    imports.text('memory');
    imports.byte(2);
    imports.byte(0);
    imports.unsigned(1);
  });
  section(3, (declared) => {
    declared.unsigned(functions.length);
    functions.forEach((_, index) => {
      declared.unsigned(index);
    });
  });
  section(7, (exports) => {
    exports.unsigned(functions.length);
    functions.forEach(({ name }, index) => {
      exports.text(name);
      exports.byte(0);
      exports.unsigned(index);
    });
  });
  section(10, (bodies) => {
    bodies.unsigned(functions.length);
    for (const { code, localCount } of functions) {
      const body = new ByteWriter(code.length + 16);
      body.unsigned(localCount ? 1 : 0);
      if (localCount) {
        body.unsigned(localCount);
        body.byte(TYPE_I32);
      }
      body.append(code.bytes());
      body.byte(0x0b);
      bodies.unsigned(body.length);
      bodies.append(body.bytes());
    }
  });
  return out.bytes();
}
