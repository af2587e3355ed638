import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { measureLineRate, offeredRates, settleLineRate } from '../../../../server/wishbone/line-rate.ts';
import type { WishboneLink } from '../../../../server/wishbone/link.ts';
import { count, IDENTITY } from '../../../support/wishbone/bench.ts';
import type { ModelPort } from '../../../support/wishbone/model-port.ts';
import { BASE, RATES, rateBench } from '../../../support/wishbone/rate-bench.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });
/** A wire that is good up to a rate, bits a second, and above it damages bytes at intervals. */
function wireUpTo(limit: () => number, every: number) {
  let port: ModelPort | null = null;
  let seen = 0;
  const damage = (byte: number) =>
    port && port.baud > limit() && ++seen % every === 0 ? [byte ^ 0x10] : [byte];
  return {
    wire: { toBoard: damage, fromBoard: damage },
    watch: (watched: ModelPort) => {
      port = watched;
    },
  };
}

describe('rates that are offered', () => {
  const board = (clockHz: number, version = 2) => ({ version, clockHz });
  const any = () => true;
  test.each([
    [12_000_000, RATES],
    [25_000_000, [BASE, 1_000_000]],
    [27_000_000, [BASE, 1_000_000, 3_000_000]],
    [50_000_000, [BASE, 1_000_000, 2_000_000]],
    [100_000_000, [BASE, 1_000_000, 2_000_000]],
  ])('divide a clock of %i Hz within 1 %%', (clockHz, rates) => {
    expect(offeredRates(BASE, board(clockHz), any)).toEqual(rates);
    for (const rate of offeredRates(BASE, board(clockHz), any)) {
      const clocks = Math.round(clockHz / rate);
      expect(clocks).toBeGreaterThanOrEqual(4);
      expect(Math.abs(clockHz / clocks / rate - 1)).toBeLessThan(0.01);
    }
  });

  test('are limited by the port; without rate control or with older gateware there is one', () => {
    expect(offeredRates(BASE, board(12e6), (rate) => rate < 2_500_000)).toEqual(RATES.slice(0, 3));
    expect(offeredRates(BASE, board(12e6), null)).toEqual([BASE]);
    expect(offeredRates(BASE, board(12e6, 1), any)).toEqual([BASE]);
    expect(offeredRates(3_000_000, board(12e6), any)).toEqual(RATES.slice(1));
  });
});

describe('a link', () => {
  test('switches to every rate and back with correct words', async () => {
    const { connect, clock, model } = rateBench();
    const link = await connect().open();
    expect(link.lineRate).toBe(BASE);
    expect(link.lineRates).toEqual(RATES);
    for (const rate of [...RATES, ...RATES.toReversed()]) {
      await clock.until(link.setLineRate(rate));
      expect(link.lineRate).toBe(rate);
      expect(model.hears(rate)).toBe(true);
      await clock.until(link.write(0x100, count(600, rate)));
      expect(await clock.until(link.read(0x100, 600))).toEqual({ ok: true, data: count(600, rate) });
    }
    await expect(link.setLineRate(1_500_000)).rejects.toThrow(RangeError);
  });

  test('changes between two exchanges: calls before and after it are answered in order', async () => {
    const { connect, clock } = rateBench();
    const link = await connect().open();
    const [, , read] = await clock.until(
      Promise.all([
        link.write(0, count(700, 9)),
        link.setLineRate(3_000_000),
        link.read(0, 700),
        link.setLineRate(1_000_000),
      ]),
    );
    expect(read).toEqual({ ok: true, data: count(700, 9) });
    expect(link.lineRate).toBe(1_000_000);
  });

  test('stays usable at the first rate when another fails', async () => {
    const { wire, watch } = wireUpTo(() => 1_000_000, 3);
    const { connect, clock, model } = rateBench(wire);
    const { port, open } = connect();
    watch(port);
    const link = await open();
    await clock.until(link.setLineRate(1_000_000));
    const change = link.setLineRate(3_000_000);
    const waiting = link.read(0, 5);
    await expect(clock.until(change)).rejects.toBeInstanceOf(BenchError);
    expect(await clock.until(waiting)).toEqual({ ok: true, data: new Uint32Array(5) });
    expect(link.lineRate).toBe(BASE);
    expect(model.hears(BASE)).toBe(true);
    await clock.until(link.setLineRate(1_000_000));
    expect(await clock.until(link.read(0, 5))).toMatchObject({ ok: true });
  });

  test('returns the board to the first rate on closing, so that the next link connects at once', async () => {
    const { connect, clock } = rateBench();
    const link = await connect().open();
    await clock.until(link.setLineRate(3_000_000));
    await clock.until(link.close());
    const start = clock.now();
    const next = await connect().open();
    expect(clock.now() - start).toBeLessThan(15);
    await clock.until(next.close());
    expect(clock.pending).toBe(0);
  });

  test('finds a board left at another rate by a killed program', async () => {
    for (const rate of RATES) {
      const { connect, clock, design } = rateBench();
      const first = connect();
      const link = await first.open();
      await clock.until(link.setLineRate(rate));
      await clock.until(link.write(0, count(3, 7)));
      first.port.destroy();
      const { length } = design.accesses;
      const start = clock.now();
      const next = await connect().open();
      expect(clock.now() - start).toBeLessThan(1_000);
      expect(design.accesses).toHaveLength(length);
      expect(await clock.until(next.read(0, 3))).toEqual({ ok: true, data: count(3, 7) });
    }
  });

  test('after an error continues at the first rate', async () => {
    const { wire, watch } = wireUpTo(() => limit, 700);
    let limit = 9e6;
    const { connect, clock } = rateBench(wire);
    const { port, open } = connect();
    watch(port);
    const link = await open();
    await clock.until(link.setLineRate(3_000_000));
    limit = 2e6;
    await expect(clock.until(link.write(0, count(2000)))).rejects.toBeInstanceOf(BenchError);
    expect(await clock.until(link.write(0, count(2000)))).toMatchObject({ ok: true });
    expect(await clock.until(link.read(0, 2000))).toEqual({ ok: true, data: count(2000) });
    expect(link.lineRate).toBe(BASE);
  });
});

test('a change of the rate finds a lost board again; a closed link refuses it', async () => {
  let silent = false;
  const { connect, clock } = rateBench({ fromBoard: (byte) => (silent ? [] : [byte]) });
  const link = await connect().open();
  silent = true;
  await expect(clock.until(link.read(0, 1))).rejects.toEqual(code('link_silent'));
  await expect(clock.until(link.setLineRate(1_000_000))).rejects.toEqual(code('link_silent'));
  silent = false;
  await clock.until(link.setLineRate(1_000_000));
  expect(link.lineRate).toBe(1_000_000);
  await clock.until(link.close());
  await expect(link.setLineRate(1_000_000)).rejects.toEqual(code('link_closed'));
  await expect(link.read(0, 1)).rejects.toEqual(code('link_closed'));
});

test('a change amid a long transfer waits for the answers on their way, and for no others', async () => {
  const { connect, clock, design } = rateBench();
  const { port, open } = connect();
  let read = 0;
  const set = async (rate: number) => {
    read = design.accesses.length;
    port.setBaud(rate);
  };
  const link = await open({ portRates: { can: () => true, set } });
  await clock.until(link.setLineRate(1_000_000));
  const reading = link.read(0, 5000);
  await Promise.resolve();
  await clock.until(link.setLineRate(3_000_000));
  // Four bursts, as many as may be on their way.
  expect(read).toBe(4 * 253);
  expect(await clock.until(reading)).toMatchObject({ ok: true });
  expect(design.accesses).toHaveLength(5000);
  expect([link.lineRate, port.baud]).toEqual([3_000_000, 3_000_000]);
});

test('a port that closes or fails while its rate changes ends the change with that reason', async () => {
  for (const [fail, expected] of [
    [(port: ModelPort) => void port.destroy(), 'link_closed'],
    [() => Promise.reject(new Error('EIO')), 'EIO'],
  ] as const) {
    const { connect, clock } = rateBench();
    const { port, open } = connect();
    let fails = false;
    const set = async (rate: number) => {
      if (fails) await fail(port);
      else port.setBaud(rate);
    };
    const link = await open({ portRates: { can: () => true, set } });
    await clock.until(link.setLineRate(1_000_000));
    fails = true;
    const changing = clock.until(link.setLineRate(2_000_000));
    if (expected === 'EIO') await expect(changing).rejects.toThrow('EIO');
    else await expect(changing).rejects.toEqual(code(expected));
    // The link looks for the board at its first rate, which the port does not take either.
    await expect(clock.until(link.read(0, 1))).rejects.toEqual(code('link_closed'));
    fails = false;
    const again = clock.until(link.read(0, 1));
    if (expected === 'EIO') expect(await again).toMatchObject({ ok: true });
    else await expect(again).rejects.toEqual(code('link_closed'));
  }
});

describe('measuring a rate', () => {
  test('sends the requested number of words in each direction, invisible to the design', async () => {
    const { connect, clock, design } = rateBench();
    const { port, open } = connect();
    const link = await open();
    for (const rate of RATES.slice(1)) {
      const { bytesSent } = port;
      const measured = await clock.until(measureLineRate(link, rate, 10_000, clock));
      expect(measured).toMatchObject({ rate, words: 10_000, errors: 0 });
      expect(port.bytesSent - bytesSent).toBeGreaterThan(40_000);
      const ideal = rate / 10 / 4;
      expect(measured.wordsPerSecond).toBeGreaterThan(ideal * 0.8);
      expect(measured.wordsPerSecond).toBeLessThan(ideal * 2);
      expect(link.lineRate).toBe(rate);
    }
    expect(design.accesses).toEqual([]);
  });

  test('counts errors, and abandons an unusable rate', async () => {
    for (const [every, most] of [
      [4_000, 3],
      [5, 3],
    ] as const) {
      const { wire, watch } = wireUpTo(() => 2_000_000, every);
      const { connect, clock } = rateBench(wire);
      const { port, open } = connect();
      watch(port);
      const link = await open();
      expect(await clock.until(measureLineRate(link, 2_000_000, 2_000, clock))).toMatchObject({ errors: 0 });
      const bad = await clock.until(measureLineRate(link, 3_000_000, 4_000, clock));
      expect(bad.errors).toBeGreaterThan(0);
      expect(bad.errors).toBeLessThanOrEqual(most);
      expect(await clock.until(link.identity())).toMatchObject({ clockHz: IDENTITY.clockHz });
    }
  });

  test('counts a refusal of the registers that take any word as an error', async () => {
    const fault = { kind: 'error', byteAddress: 0xf000_0000 } as const;
    const { clock } = rateBench();
    const link = {
      lineRate: BASE,
      write: async () => ({ ok: true, data: new Uint32Array() }),
      read: async () => ({ ok: false, fault }),
    } as unknown as WishboneLink;
    expect(await measureLineRate(link, BASE, 1000, clock)).toMatchObject({ words: 0, errors: 3 });
  });

  test('fails with link_closed when the link ends', async () => {
    const { connect, clock } = rateBench();
    const { port, open } = connect();
    const link = await open();
    const measuring = measureLineRate(link, 1_000_000, 100_000, clock);
    clock.after(50, () => port.destroy());
    await expect(clock.until(measuring)).rejects.toEqual(code('link_closed'));
  });
});

describe('settling', () => {
  test.each([
    [9e6, 3_000_000],
    [2_500_000, 2_000_000],
    [1_500_000, 1_000_000],
    [500_000, BASE],
  ])('on a wire limited to %i baud ends at %i', async (limit, rate) => {
    const { wire, watch } = wireUpTo(() => limit, 500);
    const { connect, clock } = rateBench(wire);
    const { port, open } = connect();
    watch(port);
    const link = await open();
    expect(await clock.until(settleLineRate(link, null, clock))).toBe(rate);
    expect(await clock.until(link.read(0, 9))).toMatchObject({ ok: true });
    expect(link.lineRate).toBe(rate);
  });

  test('at a known rate takes a few milliseconds, and does not probe above it', async () => {
    const { connect, clock } = rateBench();
    const { port, open } = connect();
    const link = await open();
    const { bytesSent } = port;
    const start = clock.now();
    expect(await clock.until(settleLineRate(link, 2_000_000, clock))).toBe(2_000_000);
    expect(clock.now() - start).toBeLessThan(15);
    expect(port.bytesSent - bytesSent).toBeLessThan(100);
  });

  test('at a known rate that the wire no longer carries takes the next lower one', async () => {
    const { wire, watch } = wireUpTo(() => 2_500_000, 1);
    const { connect, clock } = rateBench(wire);
    const { port, open } = connect();
    watch(port);
    const link = await open();
    expect(await clock.until(settleLineRate(link, 3_000_000, clock))).toBe(2_000_000);
    expect(await clock.until(link.read(0, 9))).toMatchObject({ ok: true });
  });

  test('a rate that failed once is tried again', async () => {
    let missed = false;
    let at: ModelPort | null = null;
    const { connect, clock } = rateBench({
      toBoard: (byte) => {
        if (at?.baud !== 2_000_000 || missed) return [byte];
        missed = true;
        return [];
      },
    });
    const { port, open } = connect();
    at = port;
    expect(await clock.until(settleLineRate(await open(), null, clock))).toBe(3_000_000);
    expect(missed).toBe(true);
  });
});
