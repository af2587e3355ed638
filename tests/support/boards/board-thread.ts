import { createFabric } from '../../../server/boards/virtual/create-fabric.ts';
import type { VirtualFabric } from '../../../server/boards/virtual/fabric.ts';
import { sharedThreads } from '../../../server/boards/virtual/fabric-threads.ts';
import { UART_FABRIC } from './virtual/bridge.ts';

let keeper: VirtualFabric | undefined;

/**
 * Keeps the thread of the virtual boards alive from one bench of this process to the next, with the chip's table and the
 * last designs: a new thread takes most of a second of processor for its first one.
 */
export function keepBoardThread(): void {
  keeper ??= createFabric(UART_FABRIC);
  keeper.open();
}

/**
 * Has designs run on for a fifth of a second after a use, and not for a minute: until then one that counts clocks takes
 * most of a core. Pages read signals twice a second.
 */
export function restSoon(): void {
  sharedThreads.goingOn = 200;
}
