/** Size of a WebAssembly page, bytes. */
export const PAGE = 64 * 1024;

const MEMORY_SECTION = 5;

/** 4 GiB, the range of 32-bit addresses. */
const MAX_PAGES = 65536;

function readUnsigned(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  let shift = 0;
  let position = start;
  for (;;) {
    const byte = bytes[position++];
    if (byte === undefined) throw new Error('The WebAssembly module is truncated.');
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

/** Free bytes before a module, into which limitMemory may extend it. */
export const HEAD_ROOM = 16;

/**
 * Sets an upper limit for the memory of a WebAssembly module. Beyond it the tool's `malloc` fails. A worker's resource
 * limits do not count this memory: the module itself must have the limit.
 * Source: WebAssembly Core Specification, section 5.5.8 "Memory Section".
 *
 * @param room HEAD_ROOM bytes, then the module. Its beginning is moved, which avoids a second copy of 46 MB
 * @param limit bytes, rounded down to whole pages, but at least the initial size
 * @returns the changed module, a part of `room`
 */
export function limitMemory(room: Uint8Array, limit: number): Uint8Array {
  let position = HEAD_ROOM + 8; // magic and version
  while (position < room.length) {
    const id = room[position]!;
    const size = readUnsigned(room, position + 1);
    const end = size.end + size.value;
    if (id !== MEMORY_SECTION) {
      position = end;
      continue;
    }
    const count = readUnsigned(room, size.end);
    if (count.value !== 1) throw new Error('The WebAssembly module must have exactly one memory.');
    const flags = room[count.end]!;
    if (flags > 1) throw new Error('The memory of the WebAssembly module must be neither shared nor 64-bit.');
    const initial = readUnsigned(room, count.end + 1);
    const pages = Math.min(Math.max(initial.value, Math.floor(limit / PAGE)), MAX_PAGES);
    const content = [1, 1, ...unsigned(initial.value), ...unsigned(pages)];
    const section = [MEMORY_SECTION, ...unsigned(content.length), ...content];
    const start = HEAD_ROOM - (section.length - (end - position));
    room.copyWithin(start, HEAD_ROOM, position);
    room.set(section, end - section.length);
    return room.subarray(start);
  }
  throw new Error('The WebAssembly module defines no memory.');
}
