import { parentPort } from 'node:worker_threads';

/** The bytes 5b 14 5b 14 to any fabric of this thread make it spin without end. */
const SPIN = [0x5b, 0x14, 0x5b, 0x14];
/** These make it wait without end, which looks the same from outside and takes no processor time. */
const WAIT = [0x5b, 0x24, 0x5b, 0x24];

const isIn = (bytes, word) =>
  bytes.some((_, at) => word.every((byte, offset) => bytes[at + offset] === byte));

// Between the port and the worker's own listener.
const on = parentPort.on.bind(parentPort);
parentPort.on = (event, listener) =>
  on(event, (message) => {
    if (message.kind === 'write') {
      while (isIn(message.bytes, SPIN));
      if (isIn(message.bytes, WAIT)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    listener(message);
  });
await import('../../../../dist/server/fabric-worker.js');
