// Asks a service for /status until it is told to stop, then answers with the milliseconds of each request.
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 20;
const times = [];
let stopped = false;
parentPort.once('message', () => {
  stopped = true;
});

while (!stopped) {
  const from = performance.now();
  await (await fetch(`${workerData}/status`)).arrayBuffer();
  times.push(performance.now() - from);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
parentPort.postMessage(times);
