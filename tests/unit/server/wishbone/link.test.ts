import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  count,
  IDENTITY,
  MUTE,
  makePort,
  openBench,
  REFUSING,
  TestDesign,
} from '../../../support/wishbone/bench.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a link', () => {
  test('identifies the peer', async () => {
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

  test('refuses invalid addresses, and writes to the base SoC', async () => {
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

  test('simultaneous calls are sent together and answered in order', async () => {
    const { link, clock, port, design } = await openBench({ latencyMs: 1 }, new TestDesign({ unique: true }));
    const { writes } = port;
    const results = await clock.until(Promise.all(Array.from({ length: 50 }, (_, i) => link.read(4 * i, 1))));
    expect(port.writes - writes).toBe(1);
    expect(results.map((result) => result.ok && result.data[0])).toEqual(
      design.accesses.map(({ value }) => value),
    );
  });

  test('a write of some bytes reaches the design as such', async () => {
    const written: [value: number, select: number][] = [];
    class Selecting extends TestDesign {
      override write(byteAddress: number, value: number, select = 15) {
        written.push([value, select]);
        return super.write(byteAddress, value);
      }
    }
    const { link, clock } = await openBench({}, new Selecting());
    for (const select of [1, 6, 15])
      expect(await clock.until(link.write(8, count(1, 7), { select }))).toMatchObject({ ok: true });
    expect(written).toEqual([1, 6, 15].map((select) => [7, select]));
  });

  test('reports progress in words', async () => {
    const { link, clock } = await openBench();
    const seen: number[] = [];
    await clock.until(link.read(0, 600, { onProgress: (words) => seen.push(words) }));
    expect(seen).toEqual([253, 506, 600]);
  });
});

describe('a fault of the design', () => {
  test('reports its kind and address, and earlier accesses have completed', async () => {
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

  test('simultaneous calls share one status read', async () => {
    const { link, clock, port } = await openBench();
    await clock.until(link.write(0, count(10, 5)));
    const { bytesSent } = port;
    const calls = Array.from({ length: 10 }, (_, k) => link.read(4 * k, 1));
    const words = await clock.until(Promise.all(calls));
    expect(port.bytesSent - bytesSent).toBe(10 * 6 + 6);
    expect(words).toEqual([...count(10, 5)].map((word) => ({ ok: true, data: Uint32Array.of(word) })));
  });

  test('does not affect earlier or later calls', async () => {
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
    // Nothing happened twice, and nothing after the fault of its own call.
    expect(design.accesses).toHaveLength(700 + 300 + 700 + 700 + 700);
  });
});

describe('cancelling', () => {
  test('ends the call at once, and the link stays usable', async () => {
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

  test('cancelling before a fault clears the fault for the next call', async () => {
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

  test('a fault address outside its transfer', async () => {
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

  test('opens even if the board was amid a frame', async () => {
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

  test('reconnects after silence for the next call', async () => {
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

  test('an old response is not accepted as a new one', async () => {
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

  test('a late response to the first attempt is distinguished from the second’s', async () => {
    const held: number[] = [];
    const fromBoard = (byte: number, index: number) => {
      if (index < 56) held.push(byte);
      return index < 56 ? [] : index === 56 ? [...held, byte] : [byte];
    };
    const { open, clock } = makePort({ fromBoard, pieces: [56] });
    const read = open().then((link) => link.read(0, 3));
    expect(await clock.until(read)).toEqual({ ok: true, data: new Uint32Array(3) });
  });

  test('unsolicited bytes are detected, and the next call resynchronises', async () => {
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

  test('a port that closes during connecting', async () => {
    const { open, clock, port } = makePort({ toBoard: () => [] });
    const opening = open();
    opening.catch(() => {});
    await turn();
    port.destroy();
    await expect(clock.until(opening)).rejects.toEqual(code('link_closed'));
  });
});

describe('closing', () => {
  test('releases everything, rejects pending calls, and is repeatable', async () => {
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

  test('no signal listener remains', async () => {
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
