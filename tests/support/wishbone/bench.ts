import type { WishboneLink } from '../../../server/wishbone/link.ts';
import { openUartboneLink, type UartboneLinkOptions } from '../../../server/wishbone/uartbone-link.ts';
import { type BusAnswer, GatewareModel, type ModelBus } from './gateware-model.ts';
import { ModelPort, type WireOptions } from './model-port.ts';
import { VirtualClock } from './virtual-clock.ts';

export const IDENTITY = { version: 3, clockHz: 12_000_000, baud: 3_000_000, buildId: '00c0ffee00c0ffee' };

/** Byte addresses at which the test design fails. */
export const REFUSING = 0x2000_0000;
export const MUTE = 0x3000_0000;

/** Words that all differ, and others from another start. */
export const count = (length: number, from = 0): Uint32Array =>
  Uint32Array.from({ length }, (_, i) => (from + i * 0x0100_0193) >>> 0);

/** One access that reached the design and was acknowledged. */
export interface Access {
  op: 'read' | 'write';
  byteAddress: number;
  value: number;
}

/** A design that remembers, and fails at REFUSING and MUTE (256 words each). */
export class TestDesign implements ModelBus {
  readonly accesses: Access[] = [];
  readonly memory = new Map<number, number>();
  /** Every read returns a new value, so that a wrong word cannot look right. */
  readonly #unique: boolean;
  #next = 1;

  constructor(options: { unique?: boolean } = {}) {
    this.#unique = options.unique ?? false;
  }

  read(byteAddress: number): BusAnswer {
    const value = this.#unique ? (this.#next++ * 2654435761) >>> 0 : (this.memory.get(byteAddress) ?? 0);
    return this.#answer({ op: 'read', byteAddress, value });
  }

  write(byteAddress: number, value: number): BusAnswer {
    return this.#answer({ op: 'write', byteAddress, value });
  }

  #answer(access: Access): BusAnswer {
    const base = (access.byteAddress & 0xffff_fc00) >>> 0;
    if (base === REFUSING) return 'error';
    if (base === MUTE) return 'timeout';
    if (access.op === 'write') this.memory.set(access.byteAddress, access.value);
    this.accesses.push(access);
    return access.value;
  }
}

interface LinkBench {
  clock: VirtualClock;
  design: TestDesign;
  model: GatewareModel;
  port: ModelPort;
  link: WishboneLink;
}

/** A port with the model, not opened yet. */
export function makePort(wire: Partial<WireOptions> = {}, design = new TestDesign()) {
  const clock = new VirtualClock();
  const model = new GatewareModel({ ...IDENTITY, baud: wire.baud || IDENTITY.baud }, design);
  const port = new ModelPort(model, clock, { baud: IDENTITY.baud, watchdogMs: 5.46, ...wire });
  const open = (options: Partial<UartboneLinkOptions> = {}) =>
    openUartboneLink(port, { baud: IDENTITY.baud, clock, ...options });
  return { clock, design, model, port, open };
}

/** The link, open, on virtual time. */
export async function openBench(
  wire: Partial<WireOptions> = {},
  design = new TestDesign(),
): Promise<LinkBench> {
  const { open, ...rest } = makePort(wire, design);
  return { ...rest, link: await rest.clock.until(open()) };
}
