import { openUartboneLink, type UartboneLinkOptions } from '../../../server/wishbone/uartbone-link.ts';
import { IDENTITY, TestDesign } from './bench.ts';
import { GatewareModel } from './gateware-model.ts';
import { ModelPort, type WireOptions } from './model-port.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The rate of a line at first, and all rates, bits a second. */
export const BASE = 115_200;
export const RATES = [BASE, 1_000_000, 2_000_000, 3_000_000];

/** A board whose line begins at 115,200 baud, and a port that can do every rate. */
export function rateBench(wire: Partial<WireOptions> = {}, design = new TestDesign()) {
  const clock = new VirtualClock();
  const model = new GatewareModel({ ...IDENTITY, baud: BASE }, design);
  /** Another process opens the port: it has no state of the one before. */
  const connect = () => {
    const port = new ModelPort(model, clock, { baud: BASE, watchdogMs: 5.46, latencyMs: 1, ...wire });
    const portRates = {
      can: () => true,
      set: async (rate: number) => port.setBaud(rate),
    };
    const open = (options: Partial<UartboneLinkOptions> = {}) =>
      clock.until(openUartboneLink(port, { baud: BASE, clock, portRates, ...options }));
    return { port, open };
  };
  return { clock, model, design, connect };
}
