import { setTimeout as delay } from 'node:timers/promises';
import { createFabric } from '../../server/boards/virtual/create-fabric.ts';
import { FabricThreads } from '../../server/boards/virtual/fabric-threads.ts';
import { BRIDGE_BAUD, UART_FABRIC } from '../support/boards/virtual/bridge.ts';
import { atLeast, type Figure, median } from './figure.ts';

/** Interval of the accesses, milliseconds. */
const ASKED_EVERY = 2000;
/** Accesses before the measurement, during which the design is compiled for words; and measured accesses. */
const BEFORE = 3;
const COUNTED = 5;

/**
 * The speed of a busy board that is accessed now and then, in a thread, with everything around it: board clocks a
 * second by the wall clock.
 * @param busy bitstream of a design that is always busy
 */
export async function measureInUse(busy: Uint8Array): Promise<Figure> {
  const board = createFabric(UART_FABRIC, new FabricThreads({ most: 1 }));
  await board.configure(busy);
  await board.setBaud(BRIDGE_BAUD);
  await board.ready();
  const runs: number[] = [];
  let last = { clock: 0, at: 0 };
  for (let look = 0; look <= BEFORE + COUNTED; look++) {
    await board.write(Uint8Array.of(0x55));
    const { clock } = await board.observe({ kind: 'observe', places: [] });
    const at = performance.now();
    if (look > BEFORE) runs.push((clock - last.clock) / (at - last.at) / 1000);
    last = { clock, at };
    if (look < BEFORE + COUNTED) await delay(ASKED_EVERY);
  }
  await board.close();
  return atLeast('soft CPU on a board that is asked every two seconds', median(runs), 'Mcycle/s', 4, {
    runs,
  });
}
