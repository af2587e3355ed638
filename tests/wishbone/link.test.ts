import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BenchError } from '../../server/errors/bench-error.ts';
import { IDENTITY, MUTE, makePort, openBench, REFUSING, TestDesign } from './support/bench.ts';
import type { WireOptions } from './support/model-port.ts';

const count = (length: number, from = 0) =>
  Uint32Array.from({ length }, (_, i) => (from + i * 0x0100_0193) >>> 0);
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a link', () => {
  test('says who is at the other end', async () => {
    const { link, clock } = await openBench();
    const { version, clockHz, buildId } = IDENTITY;
    expect(await clock.until(link.identity())).toEqual({ version, clockHz, buildId });
  });

  test('writes and reads back any number of words', async () => {
    const { link, clock } = await openBench({ latencyMs: 1 });
    for (const length of [0, 1, 2, 254, 255, 256, 510, 511, 1000, 5000]) {
      const words = count(length, length);
      expect(await clock.until(link.write(0x1000, words))).toEqual({ ok: true, data: new Uint32Array(0) });
      expect(await clock.until(link.read(0x1000, length))).toEqual({ ok: true, data: words });
    }
  });

  test('reaches both ends of the address space, and reads the base SoC', async () => {
    const { link, clock } = await openBench();
    expect(await clock.until(link.write(0xefff_fff8, count(2, 7)))).toMatchObject({ ok: true });
    const across = await clock.until(link.read(0xefff_fff8, 4));
    expect(across.ok && [...across.data]).toEqual([...count(2, 7), 0x5742_4348, IDENTITY.version]);
    for (const length of [1, 16, 60, 300])
      expect(await clock.until(link.read(0xffff_fffc - 4 * (length - 1), length))).toMatchObject({
        ok: true,
      });
    expect(await clock.until(link.read(0xf000_003c, 5, { fixed: true }))).toMatchObject({ ok: true });
    expect(await clock.until(link.read(0xf000_0000, 1))).toMatchObject({
      ok: true,
      data: { 0: 0x5742_4348 },
    });
  });

  test('a fixed transfer stays at its address over all bursts', async () => {
    const { link, clock, design } = await openBench({}, new TestDesign({ unique: true }));
    await clock.until(link.write(8, count(600), { fixed: true }));
    const result = await clock.until(link.read(8, 600, { fixed: true }));
    expect(design.accesses).toHaveLength(1200);
    expect(new Set(design.accesses.map((access) => access.byteAddress))).toEqual(new Set([8]));
    expect(result.ok && [...result.data]).toEqual(design.accesses.slice(600).map((access) => access.value));
  });

  test('refuses addresses that are none, and writes to the base SoC', async () => {
    const { link, design } = await openBench();
    for (const address of [2, -4, 0x1_0000_0000, Number.NaN, 1.5])
      await expect(link.read(address, 1)).rejects.toEqual(code('address_invalid'));
    await expect(link.read(0xffff_fffc, 2)).rejects.toEqual(code('address_invalid'));
    await expect(link.write(0xf000_0030, count(1))).rejects.toEqual(code('address_reserved'));
    await expect(link.write(0xefff_fffc, count(2))).rejects.toEqual(code('address_reserved'));
    expect(design.accesses).toEqual([]);
  });

  test('one word is one exchange: one write to the port, one answer', async () => {
    const { link, clock, port } = await openBench();
    const { writes, bytesSent } = port;
    await clock.until(link.read(0, 1));
    await clock.until(link.write(0, count(1)));
    expect(port.writes - writes).toBe(2);
    expect(port.bytesSent - bytesSent).toBe(12 + 16);
  });

  test('calls made together go out together and are answered in order', async () => {
    const { link, clock, port, design } = await openBench({ latencyMs: 1 }, new TestDesign({ unique: true }));
    const { writes } = port;
    const results = await clock.until(Promise.all(Array.from({ length: 50 }, (_, i) => link.read(4 * i, 1))));
    expect(port.writes - writes).toBe(1);
    expect(results.map((result) => result.ok && result.data[0])).toEqual(
      design.accesses.map(({ value }) => value),
    );
  });

  test('reports progress in words', async () => {
    const { link, clock } = await openBench();
    const seen: number[] = [];
    await clock.until(link.read(0, 600, { onProgress: (words) => seen.push(words) }));
    expect(seen).toEqual([253, 506, 600]);
  });
});

describe('a fault of the design', () => {
  test('names its kind and address, and what came before it was done', async () => {
    const { link, clock, design } = await openBench();
    const before = await clock.until(link.write(REFUSING - 8, count(4)));
    expect(before).toEqual({ ok: false, fault: { kind: 'error', byteAddress: REFUSING } });
    expect(design.accesses.map(({ byteAddress }) => byteAddress)).toEqual([REFUSING - 8, REFUSING - 4]);
    const mute = await clock.until(link.read(MUTE + 8, 600));
    expect(mute).toEqual({ ok: false, fault: { kind: 'timeout', byteAddress: MUTE + 8 } });
    const fixed = await clock.until(link.read(MUTE, 3, { fixed: true }));
    expect(fixed).toEqual({ ok: false, fault: { kind: 'timeout', byteAddress: MUTE } });
    expect(await clock.until(link.read(REFUSING - 8, 2))).toEqual({ ok: true, data: count(2) });
  });

  test('calls that were made together share one look at the status', async () => {
    const { link, clock, port } = await openBench();
    await clock.until(link.write(0, count(10, 5)));
    const { bytesSent } = port;
    const calls = Array.from({ length: 10 }, (_, k) => link.read(4 * k, 1));
    const words = await clock.until(Promise.all(calls));
    expect(port.bytesSent - bytesSent).toBe(10 * 6 + 6);
    expect(words).toEqual([...count(10, 5)].map((word) => ({ ok: true, data: Uint32Array.of(word) })));
  });

  test('does not touch what was called before or after it', async () => {
    const { link, clock, design } = await openBench({ latencyMs: 1 });
    const calls = [
      link.write(0, count(700, 1)),
      link.read(REFUSING - 4 * 300, 600),
      link.write(0x4000, count(700, 2)),
      link.read(MUTE, 1),
      link.read(0, 700),
      link.identity(),
      link.read(0x4000, 700),
    ];
    const results = await clock.until(Promise.all(calls));
    expect(results).toEqual([
      { ok: true, data: new Uint32Array(0) },
      { ok: false, fault: { kind: 'error', byteAddress: REFUSING } },
      { ok: true, data: new Uint32Array(0) },
      { ok: false, fault: { kind: 'timeout', byteAddress: MUTE } },
      { ok: true, data: count(700, 1) },
      expect.objectContaining({ buildId: IDENTITY.buildId }),
      { ok: true, data: count(700, 2) },
    ]);
    // Nothing was done twice, nothing after the fault of its own call.
    expect(design.accesses).toHaveLength(700 + 300 + 700 + 700 + 700);
  });
});

describe('cancelling', () => {
  test('ends the call at once; the link goes on', async () => {
    const { link, clock, port } = await openBench();
    const stop = new AbortController();
    const reason = new Error('enough');
    const { bytesSent } = port;
    const call = link.read(0, 100_000, { signal: stop.signal, onProgress: () => stop.abort(reason) });
    await expect(clock.until(call)).rejects.toBe(reason);
    expect(await clock.until(link.read(0, 3))).toEqual({ ok: true, data: new Uint32Array(3) });
    expect(port.bytesSent - bytesSent).toBeLessThan(12 * 10);
    await expect(link.read(0, 1, { signal: stop.signal })).rejects.toBe(reason);
  });

  test('before a fault, the fault is cleared for the next call', async () => {
    const { link, clock } = await openBench();
    const stop = new AbortController();
    const call = link.read(MUTE, 1, { signal: stop.signal });
    await turn();
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(await clock.until(link.read(0, 1))).toMatchObject({ ok: true });
  });
});

describe('a line that fails', () => {
  test('silent from the start', async () => {
    const { open, clock } = makePort({ toBoard: () => [] });
    await expect(clock.until(open())).rejects.toEqual(code('link_silent'));
    expect(clock.now()).toBeGreaterThan(3 * 500);
    expect(clock.now()).toBeLessThan(2000);
    expect(clock.pending).toBe(0);
  });

  test('something else answers', async () => {
    const { open, clock } = makePort({ fromBoard: (byte) => [byte ^ 0x55] });
    await expect(clock.until(open())).rejects.toEqual(code('not_wishbench'));
  });

  test('the right one answers, damaged', async () => {
    const { open, clock } = makePort({
      fromBoard: (byte, index) => (index % 48 === 36 ? [byte ^ 1] : [byte]),
    });
    await expect(clock.until(open())).rejects.toEqual(code('link_corrupted'));
  });

  test('a fault elsewhere than its transfer was', async () => {
    const { open, clock, model } = makePort({
      fromBoard: (byte) => {
        if (model.fault) model.faultAddress = 4;
        return [byte];
      },
    });
    const link = await clock.until(open());
    await expect(clock.until(link.read(MUTE, 1))).rejects.toEqual(code('link_corrupted'));
    expect(await clock.until(link.read(0, 1))).toMatchObject({ ok: true });
  });

  test('opens although the board was in the middle of a frame', async () => {
    for (const stale of [[1, 9, 0, 0], [1, 2, 0, 0, 0, 0, 1], [0x77], [2, 255, 0, 0, 0, 0]]) {
      const { open, clock, model, port, design } = makePort();
      const late = stale.flatMap((byte) => model.receive(byte));
      port.inject(...late);
      const link = await clock.until(open({ midFrame: true }));
      expect(design.accesses.filter(({ op }) => op === 'write')).toEqual([]);
      expect(await clock.until(link.read(0, 300))).toEqual({ ok: true, data: new Uint32Array(300) });
    }
  });

  test('the deadline follows the line rate and the watchdog', async () => {
    for (const [baud, words] of [
      [3_000_000, 1],
      [115_200, 255],
    ] as const) {
      let cut = false;
      const { clock, open } = makePort({ baud, toBoard: (byte) => (cut ? [] : [byte]) });
      const link = await clock.until(open({ baud, slackMs: 100 }));
      cut = true;
      const start = clock.now();
      await expect(clock.until(link.read(0, words))).rejects.toEqual(code('link_silent'));
      const wire = ((12 + 4 * words + 8) * 10_000) / baud;
      const expected = wire + ((words + 2) * 65_536) / 12_000 + 100 + 20;
      expect(Math.abs(clock.now() - start - expected)).toBeLessThan(2);
    }
  });

  test('makes contact again, after silence, for the next call', async () => {
    let broken = false;
    const toBoard = (byte: number) => (broken ? ('broken' as const) : [byte]);
    const { link, clock, design } = await openBench({ toBoard });
    broken = true;
    const calls = [link.write(0, count(600)), link.read(0, 1)];
    for (const call of calls) call.catch(() => {});
    for (const call of calls) await expect(clock.until(call)).rejects.toEqual(code('link_silent'));
    broken = false;
    expect(design.accesses).toEqual([]);
    expect(await clock.until(link.write(0, count(600)))).toMatchObject({ ok: true });
    expect(await clock.until(link.read(0, 600))).toEqual({ ok: true, data: count(600) });
  });

  test('an old answer in the place of a new one is no answer', async () => {
    let answers: number[] = [];
    let replay = false;
    const fromBoard = (byte: number) => {
      if (replay) return [answers.shift() ?? byte];
      answers.push(byte);
      return [byte];
    };
    const { link, clock } = await openBench({ fromBoard }, new TestDesign({ unique: true }));
    answers = [];
    expect(await clock.until(link.read(0, 1))).toMatchObject({ ok: true });
    replay = true;
    await expect(clock.until(link.read(0, 1))).rejects.toEqual(code('link_corrupted'));
  });

  test('an answer to the first attempt that comes during the second is told from it', async () => {
    const held: number[] = [];
    const fromBoard = (byte: number, index: number) => {
      if (index < 56) held.push(byte);
      return index < 56 ? [] : index === 56 ? [...held, byte] : [byte];
    };
    const { open, clock } = makePort({ fromBoard, pieces: [56] });
    const read = open().then((link) => link.read(0, 3));
    expect(await clock.until(read)).toEqual({ ok: true, data: new Uint32Array(3) });
  });

  test('bytes that nobody asked for are noticed, and the next call starts afresh', async () => {
    const { link, clock, port } = await openBench();
    port.inject(1, 2, 3);
    await clock.pass(1);
    expect(await clock.until(link.read(0, 3))).toEqual({ ok: true, data: new Uint32Array(3) });
  });

  test('a port that closes ends everything at once', async () => {
    const { link, clock, port } = await openBench();
    const call = link.read(0, 100);
    call.catch(() => {});
    port.destroy(new Error('unplugged'));
    await expect(clock.until(call)).rejects.toEqual(code('link_closed'));
    await expect(link.read(0, 1)).rejects.toEqual(code('link_closed'));
    await clock.until(link.close());
  });

  test('a port that closes while contact is made', async () => {
    const { open, clock, port } = makePort({ toBoard: () => [] });
    const opening = open();
    opening.catch(() => {});
    await turn();
    port.destroy();
    await expect(clock.until(opening)).rejects.toEqual(code('link_closed'));
  });
});

describe('closing', () => {
  test('leaves nothing behind, ends what waits, and may be repeated', async () => {
    const { link, clock, port } = await openBench();
    const call = link.read(0, 1000);
    call.catch(() => {});
    await turn();
    await clock.until(Promise.all([link.close(), link.close()]));
    await expect(call).rejects.toEqual(code('link_closed'));
    await expect(link.write(0, count(1))).rejects.toEqual(code('link_closed'));
    expect(port.destroyed).toBe(true);
    expect(clock.pending).toBe(0);
    expect(port.listenerCount('data') + port.listenerCount('close') + port.listenerCount('end')).toBe(0);
  });

  test('no listener of a signal stays', async () => {
    const { link, clock } = await openBench();
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await clock.until(link.read(0, 10, { signal }));
    await clock.until(link.read(MUTE, 10, { signal }));
    expect(listeners).toBe(0);
  });
});

/** What a random call asks for. */
const call = fc.record({
  op: fc.constantFrom('read' as const, 'write' as const),
  at: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 100 }).map((index) => 4 * index) },
    { weight: 1, arbitrary: fc.constantFrom(REFUSING - 12, MUTE - 4, MUTE + 8) },
  ),
  length: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 700 })),
  fixed: fc.boolean(),
  /** Wait for it before the next one. */
  wait: fc.boolean(),
});
const wire = fc.record({
  usbMs: fc.constantFrom(0, 0.2, 3),
  latencyMs: fc.constantFrom(0, 1, 16),
  pieces: fc.array(fc.integer({ min: 1, max: 64 }), { maxLength: 5 }),
});

test('over any line that loses nothing, calls do what they would one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), wire, async (calls, line) => {
      const { link, clock } = await openBench(line);
      const memory = new Map<number, number>();
      let seed = 1;
      const running: Promise<void>[] = [];
      for (const { op, at, length, fixed, wait } of calls) {
        const words = count(length, seed++);
        const expected = words.slice();
        let fault: unknown = null;
        for (let i = 0; i < length && !fault; i++) {
          const address = at + (fixed ? 0 : 4 * i);
          const base = (address & 0xffff_fc00) >>> 0;
          if (base === REFUSING) fault = { kind: 'error', byteAddress: address };
          else if (base === MUTE) fault = { kind: 'timeout', byteAddress: address };
          else if (op === 'write') memory.set(address, words[i] ?? 0);
          else expected[i] = memory.get(address) ?? 0;
        }
        const data = op === 'read' ? expected : new Uint32Array(0);
        const outcome = op === 'read' ? link.read(at, length, { fixed }) : link.write(at, words, { fixed });
        const checked = outcome.then((result) =>
          expect(result).toEqual(fault ? { ok: false, fault } : { ok: true, data }),
        );
        running.push(checked.then(() => {}));
        if (wait) await clock.until(checked);
      }
      await clock.until(Promise.all(running));
      await clock.until(link.close());
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 60 },
  );
});

/** What happens to a byte; `before` are those of its side until now, with it. */
interface DamageEvent {
  side: 'toBoard' | 'fromBoard';
  at: number;
  how: (byte: number, before: number[]) => number[] | 'broken';
}

/** What happens to the bytes with the given indexes, counted from the opening of the link. */
const damage = fc.array(
  fc.record({
    side: fc.constantFrom('toBoard' as const, 'fromBoard' as const),
    at: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 6000 })),
    how: fc.oneof(
      fc.integer({ min: 1, max: 255 }).map((by) => (byte: number, _: number[]) => [byte ^ by]),
      fc.constant(() => []),
      fc.constant((byte: number) => [byte, byte]),
      fc.uint8Array({ minLength: 1, maxLength: 70 }).map((noise) => (byte: number) => [byte, ...noise]),
      // A whole answer or command once more.
      fc
        .constantFrom(8, 12, 16, 24, 40)
        .map((length) => (byte: number, before: number[]) => [byte, ...before.slice(-length)]),
      fc.constant(() => 'broken' as const),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A link to a design that never gives a word twice, over a line whose bytes these events befall until that is ended. */
async function openDamaged(line: Partial<WireOptions>, events: readonly DamageEvent[]) {
  const never = { toBoard: Number.POSITIVE_INFINITY, fromBoard: Number.POSITIVE_INFINITY };
  let from = never;
  const seen = { toBoard: 0, fromBoard: 0 };
  const history = { toBoard: [] as number[], fromBoard: [] as number[] };
  const through = (side: 'toBoard' | 'fromBoard') => (byte: number) => {
    const index = seen[side]++ - from[side];
    history[side].push(byte);
    const event = events.find((each) => each.side === side && each.at === index);
    return event?.how(byte, history[side]) ?? [byte];
  };
  const bench = await openBench(
    { ...line, toBoard: through('toBoard'), fromBoard: through('fromBoard') },
    new TestDesign({ unique: true }),
  );
  from = { ...seen };
  const endDamage = () => {
    from = never;
  };
  return { ...bench, endDamage };
}

test('over such a line neither is a word of calls that were made together', async () => {
  const short = fc.record({
    op: fc.constantFrom('read' as const, 'write' as const),
    at: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 100 }).map((index) => 4 * index) },
      { weight: 1, arbitrary: fc.constantFrom(REFUSING - 4, MUTE) },
    ),
    length: fc.integer({ min: 1, max: 4 }),
    fixed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(short, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      wire,
      damage,
      async (batches, line, events) => {
        const { link, clock, design } = await openDamaged(line, events);
        let used = 0;
        let seed = 1;
        for (const calls of batches) {
          const made = calls.map(async (one) => {
            const words = count(one.length, seed++ * 0x1000_0001);
            const { at, length, fixed } = one;
            const result = await (one.op === 'read'
              ? link.read(at, length, { fixed })
              : link.write(at, words, { fixed }));
            return { ...one, ok: result.ok, values: one.op === 'read' && result.ok ? result.data : words };
          });
          for (const settled of await clock.until(Promise.allSettled(made))) {
            if (settled.status === 'rejected') {
              expect(['link_silent', 'link_corrupted']).toContain(settled.reason.code);
              continue;
            }
            const { op, at, fixed, ok, values } = settled.value;
            if (!ok) continue;
            // The design has seen exactly these words, behind those of the calls before.
            const found = design.accesses.findIndex(
              (_, first) =>
                first >= used &&
                values.every((value, k) => {
                  const access = design.accesses[first + k];
                  return (
                    access?.op === op &&
                    access.byteAddress === at + (fixed ? 0 : 4 * k) &&
                    access.value === value
                  );
                }),
            );
            expect(found).toBeGreaterThanOrEqual(used);
            used = found + values.length;
          }
        }
        await clock.until(link.close());
      },
    ),
    { numRuns: 60 },
  );
});

test('over a line that damages, drops, doubles and invents bytes, no word is ever wrong', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 12 }),
      wire,
      damage,
      async (calls, line, events) => {
        const { link, clock, design, endDamage } = await openDamaged(line, events);
        let used = 0;
        let seed = 1;
        for (const { op, at, length, fixed } of calls) {
          const words = count(length, seed++ * 0x1000_0001);
          const outcome = op === 'read' ? link.read(at, length, { fixed }) : link.write(at, words, { fixed });
          const result = await clock.until(outcome.catch((error: BenchError) => error));
          if (result instanceof BenchError) {
            expect(['link_silent', 'link_corrupted']).toContain(result.code);
            continue;
          }
          if (!result.ok || length === 0) continue;
          // The design has seen exactly these words, once, since the last call that succeeded.
          const values = op === 'read' ? result.data : words;
          const accesses = design.accesses.slice(used);
          const first = accesses.findIndex((access) => access.op === op && access.value === values[0]);
          expect(first).toBeGreaterThanOrEqual(0);
          expect(accesses.slice(first, first + length)).toEqual(
            [...values].map((value, i) => ({ op, byteAddress: at + (fixed ? 0 : 4 * i), value })),
          );
          used += first + length;
        }
        // The damage is over: the link works again.
        endDamage();
        const probe = () =>
          link.read(0, 10).then(
            (result) => result.ok,
            () => false,
          );
        expect((await clock.until(probe())) || (await clock.until(probe()))).toBe(true);
        await clock.until(link.close());
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});
