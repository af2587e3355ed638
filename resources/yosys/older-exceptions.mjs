// Rewrites WebAssembly exceptions of the standard in the form before it: V8 up to version 12, and so Node 20, knows
// only that one. It handles a module whose single tag has one 32-bit number, as the tag of C++ has. A caught
// exception is then that number instead of a reference.
// Sources: WebAssembly Core Specification 3.0, section 5.4 "Instructions"; the legacy proposal, "Exceptions.md".

const SECTION = { custom: 0, types: 1, imports: 2, functions: 3, code: 10, tags: 13 };
const I32 = 0x7f;
const EXNREF = 0x69;
const FUNCTION_TYPE = 0x60;
/** Catches of the standard. */
const CATCH = 0;
const CATCH_REF = 1;
const CATCH_ALL = 2;
const CATCH_ALL_REF = 3;
/** The tag of C++. */
const TAG = 0;

const ONE_NUMBER = new Set([
  0x08, 0x0c, 0x0d, 0x10, 0x12, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x41, 0x42, 0xd2,
]);
const TWO_NUMBERS = new Set([0x11, 0x13]);
const ALONE = new Set([0x00, 0x01, 0x05, 0x0f, 0x1a, 0x1b, 0xd1]);

const unsigned = (value) => {
  const bytes = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
};

/** Reads a module from its beginning. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 8; // magic and version
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  /** Skips a number of any length and sign. */
  pass() {
    while (this.bytes[this.at++] >= 0x80);
  }

  /** Skips the type of a value; a reference to an exception becomes a number. */
  valueType() {
    const type = this.bytes[this.at];
    if (type === EXNREF) this.bytes[this.at] = I32;
    if (type === 0x63 || type === 0x64)
      throw new Error('A reference of a type of its own is not known here.');
    this.at++;
    return type;
  }

  blockType() {
    const type = this.bytes[this.at];
    if (type === EXNREF || type === 0x40 || (type >= 0x6f && type <= 0x7f)) this.valueType();
    else this.pass();
  }
}

/** Functions and tags from the sections before the code. */
class Signatures {
  types = [];
  functions = [];
  tags = [];

  read(id, reader) {
    if (id === SECTION.types) this.#types(reader);
    else if (id === SECTION.imports) this.#imports(reader);
    else if (id === SECTION.functions)
      for (let left = reader.number(); left > 0; left--)
        this.functions.push(this.types[reader.number()].parameters);
    else if (id === SECTION.tags) for (let left = reader.number(); left > 0; left--) this.#tag(reader);
  }

  #types(reader) {
    for (let left = reader.number(); left > 0; left--) {
      if (reader.byte() !== FUNCTION_TYPE) throw new Error('A type that is no function is not known here.');
      const parameters = reader.number();
      let last = 0;
      for (let n = 0; n < parameters; n++) last = reader.valueType();
      const results = reader.number();
      for (let n = 0; n < results; n++) reader.valueType();
      this.types.push({
        parameters,
        results,
        isOneNumber: parameters === 1 && last === I32 && results === 0,
      });
    }
  }

  #imports(reader) {
    for (let left = reader.number(); left > 0; left--) {
      for (let names = 2; names > 0; names--) {
        const length = reader.number();
        reader.at += length;
      }
      const kind = reader.byte();
      if (kind !== 0) throw new Error('What is no function is not known here as an import.');
      reader.number();
    }
  }

  #tag(reader) {
    reader.byte();
    this.tags.push(this.types[reader.number()]);
    if (this.tags.length > 1 || !this.tags[0].isOneNumber)
      throw new Error('A module must have one tag, of one 32-bit number.');
  }
}

/** The catches of a block in the older form; `spare` is a local variable. */
function olderCatches(catches, spare) {
  return catches.flatMap(([kind, label]) => {
    // Inside a catch the block itself is one more label.
    const leave = [0x0c, ...unsigned(label + 1)];
    if (kind === CATCH_ALL) return [0x19, ...leave];
    const twice = kind === CATCH_REF ? [0x22, ...unsigned(spare), 0x20, ...unsigned(spare)] : [];
    return [0x07, TAG, ...twice, ...leave];
  });
}

/** Skips the operands of an instruction that is neither a block nor about exceptions. */
function passOperands(op, reader) {
  if (ALONE.has(op) || (op >= 0x45 && op <= 0xc4)) return;
  if (ONE_NUMBER.has(op)) reader.pass();
  else if (TWO_NUMBERS.has(op) || (op >= 0x28 && op <= 0x3e)) {
    reader.pass();
    reader.pass();
  } else if (op === 0x0e) for (let left = reader.number(); left >= 0; left--) reader.pass();
  else if (op === 0x1c) for (let left = reader.number(); left > 0; left--) reader.valueType();
  else if (op === 0x3f || op === 0x40) reader.at++;
  else if (op === 0x43) reader.at += 4;
  else if (op === 0x44) reader.at += 8;
  else if (op === 0xfc) passBulk(reader);
  else throw new Error(`The instruction 0x${op.toString(16)} at ${reader.at - 1} is not known here.`);
}

/** Saturating conversions, and operations on whole memories and tables. */
function passBulk(reader) {
  const op = reader.number();
  if (op < 8) return;
  reader.pass();
  if (op === 8 || op === 10 || op === 12 || op === 14) reader.pass();
}

/** A function as its pieces; null when it does not change. */
function olderFunction(reader, end, parameters) {
  const { bytes } = reader;
  const start = reader.at;
  const groups = reader.number();
  const firstGroup = reader.at;
  let locals = parameters;
  for (let n = 0; n < groups; n++) {
    locals += reader.number();
    reader.valueType();
  }
  const code = reader.at;
  const pieces = [];
  const blocks = [];
  let from = code;
  let spare = false;
  const put = (to, instead) => {
    pieces.push(bytes.subarray(from, to), Uint8Array.from(instead));
    from = reader.at;
  };
  while (reader.at < end) {
    const at = reader.at;
    const op = reader.byte();
    switch (op) {
      case 0x02: // block, loop, if
      case 0x03:
      case 0x04:
        reader.blockType();
        blocks.push(null);
        break;
      case 0x1f: {
        // try_table
        const type = reader.at;
        reader.blockType();
        const head = bytes.slice(type, reader.at);
        const catches = [];
        for (let left = reader.number(); left > 0; left--) {
          const kind = reader.byte();
          if (kind === CATCH || kind === CATCH_REF) reader.number();
          spare ||= kind === CATCH_REF;
          if (kind > CATCH_ALL_REF) throw new Error('A catch of a kind that is not known here.');
          catches.push([kind, reader.number()]);
        }
        put(at, [0x06, ...head]);
        blocks.push(catches);
        break;
      }
      case 0x0b: {
        const catches = blocks.pop();
        if (catches) {
          reader.at = at;
          put(at, olderCatches(catches, locals));
          reader.at = at + 1;
        }
        break;
      }
      case 0x0a: // throw_ref
        put(at, [0x08, TAG]);
        break;
      default:
        passOperands(op, reader);
    }
  }
  if (pieces.length === 0) return null;
  pieces.push(bytes.subarray(from, end));
  const head = spare
    ? [Uint8Array.from(unsigned(groups + 1)), bytes.subarray(firstGroup, code), Uint8Array.of(1, I32)]
    : [bytes.subarray(start, code)];
  return [...head, ...pieces];
}

/** The code section as its pieces. */
function olderCode(reader, functions) {
  const count = reader.number();
  const pieces = [Uint8Array.from(unsigned(count))];
  for (let n = 0; n < count; n++) {
    const size = reader.number();
    const start = reader.at;
    const end = start + size;
    const body = olderFunction(reader, end, functions[n]) ?? [reader.bytes.subarray(start, end)];
    pieces.push(Uint8Array.from(unsigned(body.reduce((sum, one) => sum + one.length, 0))));
    for (const one of body) pieces.push(one);
    reader.at = end;
  }
  return pieces;
}

/**
 * Converts a WebAssembly module to exceptions of the older form. Its custom sections are left out: names and debugging
 * information, a third of Yosys, which every process would read and keep.
 * @param {Uint8Array} module with exceptions of the standard; its types are changed in place
 * @returns {Uint8Array}
 * @throws Error for a construct that is unknown here
 */
export function withOlderExceptions(module) {
  const reader = new Reader(module);
  const signatures = new Signatures();
  const pieces = [module.subarray(0, 8)];
  while (reader.at < module.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.number();
    const end = reader.at + size;
    if (id === SECTION.code) {
      const code = olderCode(reader, signatures.functions);
      const length = code.reduce((sum, one) => sum + one.length, 0);
      pieces.push(Uint8Array.from([id, ...unsigned(length)]));
      for (const one of code) pieces.push(one);
    } else if (id !== SECTION.custom) {
      signatures.read(id, reader);
      pieces.push(module.subarray(start, end));
    }
    reader.at = end;
  }
  return Buffer.concat(pieces);
}
