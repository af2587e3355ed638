import { Worker } from 'node:worker_threads';

/** Milliseconds between two reads of the clock, and the maximum that one of them counts. */
const TICK = 10;
const MOST = 2 * TICK;

/** Microseconds; whole, for Atomics. */
const ran = new BigInt64Array(new SharedArrayBuffer(8));
let ticking: Promise<void> | undefined;

/** A thread next to the tests: work on the tests' thread counts, a pause of the whole process does not. */
const TICKS = `
const { parentPort, workerData } = require('node:worker_threads');
const ran = new BigInt64Array(workerData);
const never = new Int32Array(new SharedArrayBuffer(4));
parentPort.postMessage('ticks');
for (let last = performance.now(); ; ) {
  Atomics.wait(never, 0, 0, ${TICK});
  const now = performance.now();
  Atomics.add(ran, 0, BigInt(Math.round(1000 * Math.min(now - last, ${MOST}))));
  last = now;
}`;

/**
 * A stopwatch for deadlines: it stops while the machine does. Returns a function for the milliseconds that this process
 * has run since.
 */
export async function runningTime(): Promise<() => number> {
  ticking ??= new Promise((resolve, reject) => {
    const worker = new Worker(TICKS, { eval: true, workerData: ran.buffer });
    worker.once('error', reject).once('message', () => {
      worker.unref();
      resolve();
    });
  });
  await ticking;
  const began = Atomics.load(ran, 0);
  return () => Number(Atomics.load(ran, 0) - began) / 1000;
}
