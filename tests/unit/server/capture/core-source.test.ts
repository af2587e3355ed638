import { expect, test } from 'vitest';
import { CoreSource } from '../../../../server/capture/core.ts';
import type { RecordedListener } from '../../../../server/capture/source.ts';
import type { CaptureCore } from '../../../../server/contract/designs/uploads.ts';
import { signalsError } from '../../../../server/errors/signals.ts';
import { wishboneError } from '../../../../server/errors/wishbone.ts';
import { wordsOfBits } from '../../../../server/wishbone/pin-block.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const probe = { signal_width: 8, low: 0, ascending: false, from: 0 };
const CORE: CaptureCore = {
  bits: 12,
  depth: 256,
  luts: 1,
  flip_flops: 1,
  block_rams: 1,
  probes: [
    { ...probe, name: 'low', signal: 'low', width: 8, at: 0 },
    { ...probe, name: 'high[7:4]', signal: 'high', width: 4, at: 8, from: 4 },
  ],
};
const STATUS = 0xfe00_0000;
const SAMPLES = 0xfe00_0040;
const STOP = 0xfe00_0080;

/** A core with its number of samples before and from the trigger; sample k is k. */
class Core {
  readonly asked: number[] = [];
  ready = false;
  samples = 20;
  after = 4;
  fails: Error | null = null;
  failsAt = 0;
  read = async (byteAddress: number, count: number) => {
    this.asked.push(byteAddress);
    if (this.fails && byteAddress === this.failsAt) throw this.fails;
    if (byteAddress === STOP) this.ready = true;
    if (byteAddress === SAMPLES)
      return {
        ok: true as const,
        data: Uint32Array.from(
          { length: count },
          (_, k) => wordsOfBits(BigInt(this.samples - 1 - k), 1)[0] ?? 0,
        ),
      };
    const behind = BigInt(this.after);
    // After the sample: at (8), wrapped, behind (9), lag (16), fired, 0.
    const status =
      (BigInt(this.samples) << 12n) | (behind << 21n) | (2n << 30n) | ((this.after > 0 ? 1n : 0n) << 46n);
    return {
      ok: true as const,
      data: this.ready ? wordsOfBits(status, count) : new Uint32Array(count).fill(~0),
    };
  };
  write = async () => ({ ok: true as const, data: new Uint32Array() });
}

function start() {
  const core = new Core();
  const clock = new FakeClock();
  const source = new CoreSource({ core: CORE, clock, overLink: (work) => work(core) });
  const told: Parameters<RecordedListener>[] = [];
  const forget = source.onRecorded((...end) => told.push(end));
  const recording = {
    places: ['p8', 'p9', '0', 'p0', 'p1'],
    kept: 5,
    depth: 8,
    position: 4,
    every: 3,
    trigger: null,
    pause: false,
  };
  /** Lets time pass, and what follows from it happen. */
  const pass = async (ms: number) => {
    for (let k = 0; k < ms; k += 5) {
      clock.advance(5);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  };
  return { core, source, told, forget, recording, pass };
}

test('the core is polled until its samples are ready, and the wanted bits of the newest are returned', async () => {
  const { core, source, told, recording, pass } = start();
  await source.record(recording);
  await pass(1000);
  // Less often as time goes by: at most every 100 ms.
  expect(core.asked.length).toBeGreaterThan(8);
  expect(core.asked.length).toBeLessThan(20);
  expect(told).toEqual([]);
  core.ready = true;
  await pass(200);
  expect(told).toHaveLength(1);
  const [recorded] = told[0]!;
  expect(recorded).toMatchObject({ count: 8, trigger: 4, lag: 3, clock: null, words: 1 });
  // Samples 12 to 19: nothing of bits 8 and 9, then the bit that is not probed, then bits 0 and 1.
  expect([...recorded!.samples]).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((value) => (value & 3) << 3));
  const asked = core.asked.length;
  await pass(500);
  expect(core.asked).toHaveLength(asked);
});

test('an ended capture has the samples so far, and a cancelled one stops silently', async () => {
  const ended = start();
  ended.core.after = 0;
  await ended.source.record(ended.recording);
  await ended.source.end();
  expect(ended.told).toMatchObject([[{ count: 8, trigger: -1, lag: 3 }, undefined]]);

  const cancelled = start();
  await cancelled.source.record(cancelled.recording);
  cancelled.forget();
  await cancelled.source.end();
  expect(cancelled.core.asked).toEqual([STOP]);
  await cancelled.pass(500);
  expect(cancelled.core.asked).toEqual([STOP]);
});

test('a paused clock is waited for, and an error while reading samples is reported', async () => {
  const { core, source, told, recording, pass } = start();
  core.fails = signalsError('board_paused');
  core.failsAt = STATUS;
  await source.record(recording);
  await pass(300);
  expect(told).toEqual([]);
  core.failsAt = SAMPLES;
  core.fails = wishboneError('link_corrupted');
  core.ready = true;
  await pass(300);
  expect(told).toMatchObject([[null, { code: 'link_corrupted' }]]);
});
