import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import {
  HEAD_ROOM,
  limitMemory,
  PAGE,
} from '../../../../../../server/toolchain/engines/embedded/memory-limit.ts';
import { OutputLines } from '../../../../../../server/toolchain/engines/embedded/output-lines.ts';
import {
  OutputReader,
  OutputWriter,
  sharedOutput,
} from '../../../../../../server/toolchain/engines/embedded/shared-output.ts';
import {
  addFile,
  Directory,
  findEntry,
  MemoryFile,
  splitPath,
} from '../../../../../../server/toolchain/engines/embedded/tool-files.ts';
import { createWasi } from '../../../../../../server/toolchain/engines/embedded/wasi.ts';
import { FakeClock } from '../../../../../support/fake-clock.ts';

describe('the memory limit of a module', () => {
  /** A module with one page of memory, exported as `m`, and a custom section of `padding` bytes before it. */
  const module = (flags: number[], padding = 0) => {
    const custom = padding > 0 ? [0, padding + 2, 1, 0x78, ...Array(padding).fill(7)] : [];
    const memory = [5, flags.length + 1, 1, ...flags];
    return new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...custom,
      ...memory,
      ...[7, 5, 1, 1, 0x6d, 2, 0],
    ]);
  };
  const withRoom = (bytes: Uint8Array) => {
    const room = new Uint8Array(HEAD_ROOM + bytes.length);
    room.set(bytes, HEAD_ROOM);
    return room;
  };
  const pagesOf = (limited: Uint8Array) => {
    const { m } = new WebAssembly.Instance(new WebAssembly.Module(limited)).exports;
    const memory = m as WebAssembly.Memory;
    let pages = memory.buffer.byteLength / PAGE;
    try {
      for (; pages < 200; pages++) memory.grow(1);
    } catch {
      // the limit
    }
    return pages;
  };

  test('applies, whether the module declares one or not', () => {
    expect(pagesOf(limitMemory(withRoom(module([0, 1])), 5 * PAGE))).toBe(5);
    expect(pagesOf(limitMemory(withRoom(module([1, 1, 100])), 5 * PAGE + 1))).toBe(5);
    expect(pagesOf(limitMemory(withRoom(module([0, 1], 90)), 150 * PAGE))).toBe(150);
  });

  test('is never below the module’s initial size', () => {
    expect(pagesOf(limitMemory(withRoom(module([0, 3])), PAGE))).toBe(3);
  });

  test('is refused for a module that is no tool', () => {
    expect(() => limitMemory(withRoom(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])), PAGE)).toThrow(
      'no memory',
    );
    expect(() => limitMemory(withRoom(module([3, 1, 9])), PAGE)).toThrow('neither shared');
  });
});

describe('the file system of a tool', () => {
  test('no path escapes its root', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', '', 'a', 'b', '/')), (parts) => {
        expect(splitPath(parts.join('/'))).not.toContain('..');
        expect(splitPath(parts.join('/'))).not.toContain('');
      }),
    );
  });

  test('a file accepts writes at any position, like a byte array', () => {
    const write = fc.tuple(fc.nat(300), fc.uint8Array({ maxLength: 100 }));
    fc.assert(
      fc.property(fc.array(write, { maxLength: 20 }), (writes) => {
        const file = new MemoryFile();
        let model: number[] = [];
        for (const [position, bytes] of writes) {
          file.write(position, bytes);
          const end = position + bytes.length;
          model = [...model, ...Array(Math.max(0, end - model.length)).fill(0)];
          for (const [i, byte] of bytes.entries()) model[position + i] = byte;
        }
        expect([...file.contents]).toEqual(model);
        const part = new Uint8Array(50);
        const count = file.read(20, part);
        expect([...part.subarray(0, count)]).toEqual(model.slice(20, 70));
      }),
    );
  });

  test('files are found by the path under which they were put', () => {
    const root = new Directory();
    addFile(root, '/x/y/z.txt', new MemoryFile(new Uint8Array([1])));
    expect(findEntry(root, splitPath('x/./y/../y/z.txt'))).toBeInstanceOf(MemoryFile);
    expect(findEntry(root, splitPath('x/y'))).toBeInstanceOf(Directory);
    expect(findEntry(root, splitPath('x/y/z.txt/w'))).toBeUndefined();
    expect(() => addFile(root, '..', new MemoryFile())).toThrow();
  });
});

describe('the system interface of a tool', () => {
  const served = (now: number) => {
    const wasi = createWasi({
      root: new Directory(),
      args: ['tool'],
      output() {},
      writeLimit: 0,
      clock: { ...systemClock, now: () => now },
    });
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 3, shared: true });
    wasi.attach(memory);
    const clock = wasi.imports['wasi_snapshot_preview1']?.['clock_time_get'] as (
      id: number,
      precision: bigint,
      out: number,
    ) => number;
    const time = (out: number) => {
      expect(clock(0, 0n, out)).toBe(0);
      return new DataView(memory.buffer).getBigUint64(out, true);
    };
    return { memory, time };
  };

  test('gives the time in nanoseconds, to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 0, max: 7 }), (ms, eighths) => {
        expect(served(ms + eighths / 8).time(8)).toBe(BigInt(ms) * 1_000_000n + BigInt(eighths) * 125_000n);
      }),
    );
  });

  test('reaches memory added later', () => {
    const { memory, time } = served(5);
    time(0);
    memory.grow(2);
    expect(time(3 * PAGE - 8)).toBe(5_000_000n);
  });
});

describe('the lines of a tool', () => {
  const collect = (chunks: Uint8Array[]) => {
    const lines: string[] = [];
    const shared = sharedOutput();
    const output = new OutputLines(new OutputReader(shared), systemClock, (line) => lines.push(line));
    // Reads as soon as the thread reports a full buffer.
    const writer = new OutputWriter(shared, () => output.read());
    for (const chunk of chunks) writer.write(chunk);
    output.end();
    return lines;
  };

  test('do not depend on how the output is split', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ß', '€', '\n', ' ', '🙂', '\r\n') });
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(collect(chunks)).toEqual(collect([bytes]));
      }),
    );
  });

  test('have no control characters and show only what a carriage return leaves', () => {
    expect(collect([Buffer.from('10 %\r50 %\rdone\n\u001b[31mred\u0007\n')])).toEqual(['done', 'red']);
  });

  test('are of bounded length', () => {
    const lines = collect([Buffer.alloc(100_000, 0x61)]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(16 * 1024);
  });

  test('end with the line whose reader ends the run', async () => {
    const lines: string[] = [];
    const shared = sharedOutput();
    const clock = new FakeClock();
    const output = new OutputLines(new OutputReader(shared), clock, (line) => {
      lines.push(line);
      if (line === 'last') output.end();
    });
    const writer = new OutputWriter(shared, () => {});
    writer.write(Buffer.from('first\nlast\nunfin'));
    clock.advance(25);
    expect(clock.pending).toBe(0);
    // The next run's output in the same memory is separate.
    writer.write(Buffer.from('of the next\n'));
    clock.advance(1000);
    expect(lines).toEqual(['first', 'last', 'unfin']);
    expect(new TextDecoder().decode(new OutputReader(shared).read())).toBe('of the next\n');
  });

  test('pass whole through a smaller shared memory, for any sequence of reads', () => {
    const written = fc.array(fc.tuple(fc.nat(150_000), fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(written, (writes) => {
        const shared = sharedOutput();
        const reader = new OutputReader(shared);
        const read: Uint8Array[] = [];
        const writer = new OutputWriter(shared, () => read.push(reader.read()));
        const whole: Uint8Array[] = [];
        for (const [length, look] of writes) {
          const bytes = Uint8Array.from({ length }, (_, k) => (k * 7 + whole.length) & 0xff);
          whole.push(bytes);
          writer.write(bytes);
          if (look) read.push(reader.read());
        }
        read.push(reader.read());
        expect(Buffer.concat(read).equals(Buffer.concat(whole))).toBe(true);
        expect(reader.read()).toHaveLength(0);
      }),
      { numRuns: 40 },
    );
  });
});
