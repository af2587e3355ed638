import { setTimeout as delay } from 'node:timers/promises';
import { createFabric } from '../../server/boards/virtual/create-fabric.ts';
import { FabricThreads } from '../../server/boards/virtual/fabric-threads.ts';
import { BRIDGE_BAUD, readFrame, UART_FABRIC } from '../support/boards/virtual/bridge.ts';
import { atMost, type Figure, longest, median } from './figure.ts';

/** How long words are read, milliseconds: a soft CPU runs in words long before the end of it. */
const WATCHED = 8000;
/** Milliseconds between two bytes to the busy board: it runs at full speed meanwhile. */
const TALKED_TO = 20;

/**
 * Maximum time of a word of a board while another one on the same thread becomes busy, is compiled for words, and runs
 * in them.
 * @param bridge bitstream of a UART bridge with echo memory
 * @param busy bitstream of a design that is always busy
 */
export async function measureNeighbour(bridge: Uint8Array, busy: Uint8Array): Promise<Figure> {
  const threads = new FabricThreads({ most: 1 });
  const [board, neighbour] = [createFabric(UART_FABRIC, threads), createFabric(UART_FABRIC, threads)];
  for (const [fabric, bitstream] of [
    [board, bridge],
    [neighbour, busy],
  ] as const) {
    await fabric.configure(bitstream);
    await fabric.setBaud(BRIDGE_BAUD);
  }
  let missing = 0;
  let answered = () => {};
  board.onData((bytes) => {
    missing -= bytes.length;
    if (missing === 0) answered();
  });
  const talk = setInterval(() => void neighbour.write(Uint8Array.of(0x55)), TALKED_TO);
  const times: number[] = [];
  for (const end = performance.now() + WATCHED; performance.now() < end; ) {
    missing = 4;
    const start = performance.now();
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    await board.write(readFrame(0, 1));
    await answer;
    times.push(performance.now() - start);
    await delay(1);
  }
  clearInterval(talk);
  await Promise.all([board.close(), neighbour.close()]);
  const most = longest(times);
  return atMost(
    `a word beside a board that becomes busy, longest of ${times.length} (median ${median(times).toFixed(2)} ms)`,
    most,
    'ms',
    100,
  );
}
