import { parentPort } from 'node:worker_threads';

/** The bytes 5b 14 5b 14 to any fabric of this thread make it spin for ever. */
const WORD = [0x5b, 0x14, 0x5b, 0x14];

const isIn = (bytes) => bytes.some((_, at) => WORD.every((byte, offset) => bytes[at + offset] === byte));

// Between the port and the worker's own listener.
const on = parentPort.on.bind(parentPort);
parentPort.on = (event, listener) =>
  on(event, (message) => {
    if (message.kind === 'write' && isIn(message.bytes)) for (;;);
    listener(message);
  });
await import('../../../../dist/server/fabric-worker.js');
