import { createStore } from 'zustand/vanilla';
import { StreamError } from '../../../../../server/contract/client/stream.ts';
import { partOf } from '../../../state/actions/holding.ts';
import type { BenchClient } from '../../../state/client/bench-client.ts';
import type { PlaceChange, Subscription } from '../../../state/nodes/node-line.ts';
import { toBursts } from '../../../state/page/bursts.ts';
import { readQuietly } from '../../../state/registers/transactions.ts';
import { MAX_WATCHED_WORDS, recordChange, setLive } from '../../../state/samples/samples.ts';
import { text } from '../../../text/text.ts';
import { keepView, storedView } from './session-view.ts';

/** Poll intervals, seconds. */
export const INTERVALS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10] as const;
export type Interval = (typeof INTERVALS)[number];

/** The polls of one node, and what the plot shows of them. */
interface PollingState {
  addresses: ReadonlySet<number>;
  plotted: ReadonlySet<number>;
  /** Bit fields shown as lanes, `address msb lsb`. */
  lanes: ReadonlySet<string>;
  interval: Interval;
  /** The person has paused it. */
  paused: boolean;
  /** Why polling waits; cleared when it continues. */
  stopped: unknown;
}

const BEGIN: PollingState = {
  addresses: new Set(),
  plotted: new Set(),
  lanes: new Set(),
  interval: 0.5,
  paused: false,
  stopped: undefined,
};

/** First wait after a failure, ms; each further one is longer. */
const FIRST_RETRY = 500;
const LAST_RETRY = 10_000;

/** Node → its polls. They outlive the register view: a curve has no gap after a look at the log. */
export const polling = createStore<Partial<Record<number, PollingState>>>(() => ({}));

export const pollingOf = (node: number): PollingState => polling.getState()[node] ?? BEGIN;
export const NOT_POLLING = BEGIN;

const put = (node: number, change: Partial<PollingState>) =>
  polling.setState({ [node]: { ...pollingOf(node), ...change } });

/** Takes a change of a polled place. If the design does not acknowledge, the value is unknown and polling continues. */
function take(node: number, { address, words, at }: PlaceChange): void {
  if (words) recordChange(node, address, words, at);
}

/** Keeps the polls of one node running while there are addresses and a session. */
class Poller {
  readonly #client: BenchClient;
  readonly #node: number;
  /** Ends the running polls. */
  #end: (() => void) | undefined;
  /** The running polls as a text: an unrelated change restarts nothing. */
  #running = '';
  #retry = FIRST_RETRY;
  /** The last polled session: a new one reads nothing until the person asks. */
  #session: string | undefined;

  constructor(client: BenchClient, node: number) {
    this.#client = client;
    this.#node = node;
  }

  /** The wanted polls as a text to compare; empty for none. */
  #wanted(): string {
    const { addresses, interval, paused } = pollingOf(this.#node);
    const node = this.#client.nodes.getState().nodes?.[this.#node];
    const live = this.#client.connection.getState().connection.kind === 'live';
    if (addresses.size === 0 || paused || !live || node?.state !== 'reserved' || node.resetting) return '';
    if (partOf(this.#client, node) === 'viewer') return '';
    const session = `${node.session?.session_id} ${node.board.present}`;
    return `${session} ${interval} ${[...addresses].sort((a, b) => a - b).join()}`;
  }

  /** Starts, changes or ends the polls after a change of nodes, connection or choices. */
  adjust(): void {
    const session = this.#client.nodes.getState().nodes?.[this.#node]?.session?.session_id;
    if (session !== undefined && this.#session !== undefined && session !== this.#session)
      put(this.#node, { paused: true, stopped: undefined });
    this.#session = session ?? this.#session;
    const wanted = this.#wanted();
    if (wanted === this.#running) return;
    this.#end?.();
    this.#running = wanted;
    this.#retry = FIRST_RETRY;
    const { addresses, stopped } = pollingOf(this.#node);
    if (stopped !== undefined) put(this.#node, { stopped: undefined });
    setLive(this.#node, wanted === '' ? new Set() : addresses, Date.now());
    if (wanted === '') this.#end = undefined;
    else this.#begin();
  }

  #begin(): void {
    let over = false;
    let subscription: Subscription | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOver = () => over;
    this.#end = () => {
      over = true;
      clearTimeout(timer);
      subscription?.end();
    };
    const run = async () => {
      const { addresses, interval } = pollingOf(this.#node);
      try {
        const began = await this.#client.lines.of(this.#node).poll(addresses, interval * 1000, (change) => {
          if (!over) take(this.#node, change);
        });
        if (isOver()) {
          began?.end();
          return;
        }
        this.#went();
        if (began) {
          subscription = began;
          const reason = await began.over;
          if (isOver()) return;
          throw reason ?? new Error('The stream was closed.');
        }
        await this.#rounds(isOver);
      } catch (error) {
        if (isOver()) return;
        put(this.#node, { stopped: error });
        setLive(this.#node, new Set(), Date.now());
        timer = setTimeout(() => void run(), this.#retry);
        this.#retry = Math.min(LAST_RETRY, 2 * this.#retry);
      }
    };
    void run();
  }

  /** Polling works again: clear the reason for waiting. */
  #went(): void {
    const { addresses, stopped } = pollingOf(this.#node);
    this.#retry = FIRST_RETRY;
    setLive(this.#node, addresses, Date.now());
    if (stopped !== undefined) put(this.#node, { stopped: undefined });
  }

  /**
   * Without a stream each read is a run. Rounds never overlap: one that takes longer than the interval delays the next.
   */
  async #rounds(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { addresses, interval } = pollingOf(this.#node);
      const began = performance.now();
      for (const { address, count } of toBursts(addresses, MAX_WATCHED_WORDS)) {
        const { data, state, failure } = await readQuietly(this.#client, this.#node, address, count);
        if (isOver()) return;
        if (state === 'failed')
          throw new StreamError({ code: 'run_failed', message: failure?.message ?? text.registers.refused });
        if (data) recordChange(this.#node, address, data, Date.now());
      }
      const pause = Math.max(0, interval * 1000 - (performance.now() - began));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

const pollers = new WeakMap<BenchClient, Map<number, Poller>>();

/** The poller of a node; the first of a client subscribes to its nodes and connection. */
function pollerOf(client: BenchClient, node: number): Poller {
  let all = pollers.get(client);
  if (!all) {
    const made = new Map<number, Poller>();
    const adjust = () => {
      for (const poller of made.values()) poller.adjust();
    };
    client.nodes.subscribe(adjust);
    client.connection.subscribe(adjust);
    pollers.set(client, made);
    all = made;
  }
  let poller = all.get(node);
  if (!poller) {
    poller = new Poller(client, node);
    all.set(node, poller);
  }
  return poller;
}

/** The design and session of a node's choices. */
const placeOf = (client: BenchClient, node: number) => {
  const view = client.nodes.getState().nodes?.[node];
  const design = view?.design;
  return design && view.session
    ? { design: design.module || design.filename, session: view.session.session_id }
    : undefined;
};

/** Changes the polls of a node, and starts or ends them. */
export function changePolling(client: BenchClient, node: number, change: Partial<PollingState>): void {
  put(node, { stopped: undefined, ...change });
  const { addresses, plotted, lanes, interval, paused } = pollingOf(node);
  const place = placeOf(client, node);
  if (place)
    keepView(client, node, place.design, {
      session: place.session,
      polled: [...addresses],
      plotted: [...plotted],
      lanes: [...lanes],
      interval,
      paused,
    });
  pollerOf(client, node).adjust();
}

/** Restores the choices for the design after a reload. In another session they wait to be resumed. */
export function restorePolling(client: BenchClient, node: number): void {
  const place = placeOf(client, node);
  if (!place || polling.getState()[node]) return;
  const stored = storedView(client, node, place.design);
  if (stored.polled.length + stored.plotted.length + stored.lanes.length === 0) return;
  put(node, {
    addresses: new Set(stored.polled),
    plotted: new Set(stored.plotted),
    lanes: new Set(stored.lanes),
    interval: INTERVALS.find((one) => one === stored.interval) ?? BEGIN.interval,
    paused: stored.paused || stored.session !== place.session,
  });
  pollerOf(client, node).adjust();
}

const toggled = <T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> => {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
};

export function togglePoll(client: BenchClient, node: number, address: number): void {
  const { addresses } = pollingOf(node);
  const next = toggled(addresses, address);
  // A new poll ends an earlier pause.
  changePolling(client, node, { addresses: next, ...(next.size > addresses.size && { paused: false }) });
}

export function togglePlot(client: BenchClient, node: number, address: number): void {
  changePolling(client, node, { plotted: toggled(pollingOf(node).plotted, address) });
}

export function toggleLane(client: BenchClient, node: number, lane: string): void {
  changePolling(client, node, { lanes: toggled(pollingOf(node).lanes, lane) });
}

/** Ends the poll, plot and lanes of an address. */
export function stopPolling(client: BenchClient, node: number, address: number): void {
  const { addresses, plotted, lanes } = pollingOf(node);
  changePolling(client, node, {
    addresses: new Set([...addresses].filter((one) => one !== address)),
    plotted: new Set([...plotted].filter((one) => one !== address)),
    lanes: new Set([...lanes].filter((one) => !one.startsWith(`${address} `))),
  });
}
