/** Size of a WebAssembly page, bytes. */
export const PAGE = 64 * 1024;

const MEMORY_SECTION = 5;

function readUnsigned(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  let shift = 0;
  let position = start;
  for (;;) {
    const byte = bytes[position++];
    if (byte === undefined) throw new Error('The WebAssembly module is cut off.');
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: position };
    shift += 7;
  }
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/**
 * Gives a WebAssembly module's own memory an upper limit: from there on the tool's `malloc` fails, whatever it
 * is fed with. A worker's resource limits do not count this memory, so the module itself has to.
 * Source of the layout: WebAssembly Core Specification, section 5.5.8 "Memory Section".
 *
 * @param limit bytes, rounded down to whole pages; raised to what the module starts with
 */
export function limitMemory(module: Uint8Array, limit: number): Uint8Array {
  let position = 8; // magic and version
  while (position < module.length) {
    const id = module[position]!;
    const size = readUnsigned(module, position + 1);
    const end = size.end + size.value;
    if (id !== MEMORY_SECTION) {
      position = end;
      continue;
    }
    const count = readUnsigned(module, size.end);
    if (count.value !== 1) throw new Error('A tool has one memory.');
    const flags = module[count.end]!;
    if (flags > 1) throw new Error('The memory of a tool is neither shared nor 64 bits wide.');
    const initial = readUnsigned(module, count.end + 1);
    const maximum = Math.max(initial.value, Math.floor(limit / PAGE));
    const content = [1, 1, ...unsigned(initial.value), ...unsigned(Math.min(maximum, 65536))];
    const section = [MEMORY_SECTION, ...unsigned(content.length), ...content];
    const result = new Uint8Array(module.length - (end - position) + section.length);
    result.set(module.subarray(0, position));
    result.set(section, position);
    result.set(module.subarray(end), position + section.length);
    return result;
  }
  throw new Error('The WebAssembly module has no memory of its own.');
}
