import type { Clock } from '../../server/clock.ts';
import { readSamples } from '../../server/wishbone/capture-core.ts';
import { openUartboneLink } from '../../server/wishbone/uartbone-link.ts';
import { IDENTITY, TestDesign } from '../support/wishbone/bench.ts';
import { GatewareModel } from '../support/wishbone/gateware-model.ts';
import { ModelPort } from '../support/wishbone/model-port.ts';
import { atLeast, atMost, type Figure, median } from './figure.ts';

/** Words of a burst measurement: an eighth of the longest run. */
const WORDS = 8192;
/** Half a high-speed USB frame from the host's write to the first bit on the line, milliseconds. */
const USB_MS = 0.0625;
const LATENCY_TIMER_MS = 1;

/** Real time, to the microsecond: the timers of Node count whole milliseconds, a byte takes three microseconds. */
class PollingClock implements Clock {
  readonly #timers = new Set<{ at: number; callback: () => void }>();
  #polling = false;

  now(): number {
    return performance.now();
  }

  monotonic(): number {
    return this.now();
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.now() + ms, callback };
    this.#timers.add(timer);
    this.#poll();
    return () => this.#timers.delete(timer);
  }

  #poll(): void {
    if (this.#polling || this.#timers.size === 0) return;
    this.#polling = true;
    setImmediate(() => {
      this.#polling = false;
      for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
        if (timer.at > this.now()) break;
        if (this.#timers.delete(timer)) timer.callback();
      }
      this.#poll();
    });
  }
}

/** The link over a line at the given rate, with the time of a real wire. */
async function openAt(baud: number) {
  const clock = new PollingClock();
  const model = new GatewareModel({ ...IDENTITY, baud }, new TestDesign());
  const port = new ModelPort(model, clock, { baud, usbMs: USB_MS, latencyMs: LATENCY_TIMER_MS });
  return openUartboneLink(port, { baud, clock });
}

/** Median of three. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    await work();
    took.push((performance.now() - start) / 1000);
  }
  return median(took);
}

/**
 * The link against the model of the base SoC over a modelled FT2232H: wire times, a latency timer of 1 ms and
 * packets of 510 bytes are those of the real chip, the host's own work is real.
 */
export async function measureLink(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const baud of [1_000_000, 3_000_000]) {
    const name = `${baud / 1e6} Mbaud`;
    const link = await openAt(baud);
    await link.write(0, new Uint32Array(1024)); // warm
    const share = (took: number) => ((WORDS * 4 * 10) / baud / took) * 100;
    const written = await seconds(() => link.write(0, new Uint32Array(WORDS)));
    figures.push(atLeast(`Link: write bursts, share of the line rate at ${name}`, share(written), '%', 90));
    const read = await seconds(() => link.read(0, WORDS));
    figures.push(atLeast(`Link: read bursts, share of the line rate at ${name}`, share(read), '%', 90));
    const oneByOne = await seconds(async () => {
      for (let i = 0; i < 300; i++) await link.read(4 * i, 1);
    });
    figures.push(atLeast(`Link: words read one by one at ${name}, 1 ms latency`, 300 / oneByOne, '/s', 400));
    const together = await seconds(() =>
      Promise.all(Array.from({ length: 4000 }, (_, i) => link.read(4 * i, 1))),
    );
    figures.push(atLeast(`Link: words read pipelined at ${name}, 1 ms latency`, 4000 / together, '/s', 3000));
    if (baud === 1_000_000) {
      const shape = { bits: 32, depth: 512 };
      const samples = await seconds(() => readSamples(link, shape, shape.depth));
      figures.push(atMost(`Link: 512 × 32 samples of a capture core at ${name}`, samples, 's', 10));
    }
    await link.close();
  }
  return figures;
}
