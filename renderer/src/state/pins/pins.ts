import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Client } from '../../../../server/contract/client/client.ts';
import { EventStream } from '../../../../server/contract/client/event-stream.ts';
import type { LiveEvent } from '../../../../server/contract/events/events.ts';
import type { Pin, PinSettings } from '../../../../server/contract/nodes/pins.ts';
import { showRefusal } from '../actions/actions.ts';
import { useBench } from '../client/context.tsx';
import { recordPins } from '../samples/pin-samples.ts';
import { TerminalFeed } from './terminal.ts';

/** Decodes the bits of a pin. */
export const bitsOf = (value: Pin['value']): bigint => BigInt(value);

/** Encodes the bits of a pin. */
export const toValue = (bits: bigint, width: number): Pin['value'] =>
  width <= 32 ? Number(bits) : `0x${bits.toString(16)}`;

/** A new value of an input, or of some of its bits. */
export type Setting = PinSettings['pins'][string];

/** The bits of an input after a setting. */
function bitsAfter(bits: bigint, setting: Setting): bigint {
  if (typeof setting !== 'object') return BigInt(setting);
  const mask = BigInt(setting.mask);
  return (bits & ~mask) | (BigInt(setting.value) & mask);
}

/** Merges two settings of one input. @param width of the input */
function inOne(before: Setting | undefined, setting: Setting, width: number): Setting {
  if (before === undefined || typeof setting !== 'object') return setting;
  if (typeof before !== 'object') return toValue(bitsAfter(BigInt(before), setting), width);
  return {
    value: toValue(bitsAfter(BigInt(before.value), setting), width),
    mask: toValue(BigInt(before.mask) | BigInt(setting.mask), width),
  };
}

interface PinsState {
  /** In the order of the source; undefined until known. */
  pins: readonly Pin[] | undefined;
  /** The stream of pin events is open. */
  live: boolean;
}

/**
 * How an input changes: a `step` at once; an `edge` that must reach the design, as of a push button; or a `glide`, of
 * which a few values and the last suffice.
 */
export type Change = 'step' | 'edge' | 'glide';

/** Pins to set together. */
interface Wish {
  pins: Record<string, Setting>;
  change: Change;
}

/** Time between two values of a slider, ms: a caller on the LAN may send 600 requests a minute. */
const GLIDE_MS = 150;

/**
 * The pins of one node, with this window's pending changes. One request is pending at a time. Values that a slider
 * passes meanwhile are dropped, edges of a push button are not.
 */
export class PinFeed {
  readonly store = createStore<PinsState>(() => ({ pins: undefined, live: false }));
  readonly #service: Client;
  readonly #fpgaId: number;
  readonly #onRefused: (error: unknown) => void;
  /** The serial line of the same design; its events come over the same stream. */
  readonly terminal: TerminalFeed;
  #underWay: Wish | null = null;
  /** Pending changes, in order. */
  readonly #wishes: Wish[] = [];
  #sending = false;
  #glidedAt = Number.NEGATIVE_INFINITY;

  constructor(service: Client, fpgaId: number, onRefused: (error: unknown) => void) {
    this.#service = service;
    this.#fpgaId = fpgaId;
    this.#onRefused = onRefused;
    this.terminal = new TerminalFeed(service, fpgaId, onRefused);
  }

  /** Watches the pins. Returns a function that stops it. */
  open(): () => void {
    const stream = new EventStream({
      client: this.#service.options,
      pins: this.#fpgaId,
      onEvents: (events) => {
        this.take(events);
        this.terminal.take(events);
      },
      onConnection: ({ kind }) => {
        this.store.setState({ live: kind === 'live' });
        if (kind === 'live') void this.terminal.catchUp();
      },
    });
    return () => stream.close();
  }

  take(events: readonly LiveEvent[]): void {
    for (const event of events) {
      if (event.type !== 'pins' || event.fpga_id !== this.#fpgaId) continue;
      recordPins(event, Date.now());
      const known = event.complete ? undefined : this.store.getState().pins;
      if (known === undefined && !event.complete) continue;
      this.#merge(known, event.pins);
    }
  }

  /** Sets an input, or some of its bits; the panel shows the new value at once. */
  set({ name, width }: Pick<Pin, 'name' | 'width'>, setting: Setting, change: Change = 'step'): void {
    const last = this.#wishes.at(-1);
    if (change !== 'edge' && last?.change === change)
      last.pins[name] = inOne(last.pins[name], setting, width);
    else this.#wishes.push({ pins: { [name]: setting }, change });
    const { pins } = this.store.getState();
    if (pins) this.#merge(pins, []);
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (this.#wishes[0]) {
      if (this.#wishes[0].change === 'glide') await this.#pace();
      const wish = this.#wishes.shift();
      if (!wish) break;
      this.#underWay = wish;
      try {
        const { pins } = await this.#service.setPins({ fpga_id: this.#fpgaId, body: { pins: wish.pins } });
        this.#underWay = null;
        this.#merge(pins, []);
      } catch (error) {
        // The pending changes belong to a previous design.
        this.#underWay = null;
        this.#wishes.length = 0;
        this.#onRefused(error);
        await this.#reload();
      }
    }
    this.#sending = false;
  }

  async #pace(): Promise<void> {
    const wait = this.#glidedAt + GLIDE_MS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    this.#glidedAt = performance.now();
  }

  async #reload(): Promise<void> {
    try {
      const { pins } = await this.#service.listPins({ fpga_id: this.#fpgaId });
      this.#merge(pins, []);
    } catch {
      // The node has no pins any more, and shows why.
    }
  }

  /** Merges changed pins; an input with a pending change shows the new value. */
  #merge(known: readonly Pin[] | undefined, changed: readonly Pin[]): void {
    const byName = new Map(changed.map((pin) => [pin.name, pin]));
    const wishes = this.#underWay ? [this.#underWay, ...this.#wishes] : this.#wishes;
    const pins = (known ?? changed).map((pin) => {
      const now = byName.get(pin.name) ?? pin;
      const settings = wishes.map((wish) => wish.pins[pin.name]).filter((one) => one !== undefined);
      if (settings.length === 0) return now;
      const set = now.direction === 'inout' ? (now.released ?? 0) : now.value;
      const value = toValue(settings.reduce(bitsAfter, bitsOf(set)), now.width);
      return now.direction === 'inout' ? { ...now, released: value } : { ...now, value };
    });
    this.store.setState({ pins });
  }
}

/** The pins of a node while the component is mounted; it watches them while `shown`. */
export function usePins(fpgaId: number, shown: boolean): PinsState & { feed: PinFeed } {
  const client = useBench();
  const feed = useMemo(
    () => new PinFeed(client.service, fpgaId, (error) => showRefusal(client, error)),
    [client, fpgaId],
  );
  useEffect(() => (shown ? feed.open() : undefined), [feed, shown]);
  return { ...useStore(feed.store), feed };
}
