import type { NodeBoard } from '../../nodes/node-board.ts';
import type { Bus } from '../../scripts/bus.ts';
import { describeFault } from '../../wishbone/fault.ts';

/** A script's bus over the link to a board. */
export const linkBus =
  (board: NodeBoard, signal: AbortSignal): Bus =>
  async ({ op, address, count, data, fixed }) => {
    const result = await board.transfer(signal, (link, both) => {
      const options = { fixed, signal: both };
      return op === 'read' ? link.read(address, count, options) : link.write(address, data, options);
    });
    if (result.ok) return result;
    return { ok: false, error: describeFault(result.fault) };
  };
