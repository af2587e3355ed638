import { createStore } from 'zustand/vanilla';
import type { BenchClient } from '../../../../state/bench-client.ts';
import { MOST_WATCHED_WORDS, toBursts } from '../../../../state/samples.ts';
import { runTransaction } from '../../../../state/transactions.ts';

/** Seconds between two rounds. */
export const INTERVALS = [0.1, 0.25, 0.5, 1, 2, 5, 10] as const;
export type Interval = (typeof INTERVALS)[number];

/** What is read again and again on one node. */
interface PollingState {
  addresses: ReadonlySet<number>;
  plotted: ReadonlySet<number>;
  interval: Interval;
  paused: boolean;
  /** Why polling stopped, when a round failed. */
  stopped: unknown;
}

const BEGIN: PollingState = {
  addresses: new Set(),
  plotted: new Set(),
  interval: 0.5,
  paused: false,
  stopped: undefined,
};

/** By node. It outlives the register view: a curve has no gap because somebody looked at the log. */
export const polling = createStore<Partial<Record<number, PollingState>>>(() => ({}));

export const pollingOf = (node: number): PollingState => polling.getState()[node] ?? BEGIN;
export const NOT_POLLING = BEGIN;

const running = new Set<number>();
/** Ends the wait between two rounds of a node, so that a change takes effect at once. */
const wake = new Map<number, () => void>();

function pause(node: number, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      wake.delete(node);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    wake.set(node, end);
  });
}

/** Rounds follow each other; one that takes longer than the interval delays the next, they never pile up. */
async function run(client: BenchClient, node: number): Promise<void> {
  if (running.has(node)) return;
  running.add(node);
  try {
    for (;;) {
      const { addresses, interval, paused } = pollingOf(node);
      if (addresses.size === 0 || paused) return;
      const view = client.nodes.getState().nodes?.[node];
      if (view && (view.state !== 'reserved' || view.resetting)) {
        changePolling(client, node, { paused: true });
        return;
      }
      const began = performance.now();
      for (const { address, count } of toBursts(addresses, MOST_WATCHED_WORDS))
        if ((await runTransaction(client, node, { op: 2, address, count }, 'poll')).state === 'failed') {
          changePolling(client, node, { paused: true });
          return;
        }
      await pause(node, Math.max(0, interval * 1000 - (performance.now() - began)));
    }
  } catch (error) {
    changePolling(client, node, { paused: true, stopped: error });
  } finally {
    running.delete(node);
  }
}

/** Changes what is polled on a node, and how; begins and ends the rounds. */
export function changePolling(client: BenchClient, node: number, change: Partial<PollingState>): void {
  polling.setState({ [node]: { ...pollingOf(node), stopped: undefined, ...change } });
  wake.get(node)?.();
  void run(client, node);
}

const toggled = (set: ReadonlySet<number>, address: number): ReadonlySet<number> => {
  const next = new Set(set);
  if (!next.delete(address)) next.add(address);
  return next;
};

export function togglePoll(client: BenchClient, node: number, address: number): void {
  const { addresses } = pollingOf(node);
  const next = toggled(addresses, address);
  // Whoever begins to poll wants to see it; a pause from before is over.
  changePolling(client, node, { addresses: next, ...(next.size > addresses.size && { paused: false }) });
}

export function togglePlot(client: BenchClient, node: number, address: number): void {
  changePolling(client, node, { plotted: toggled(pollingOf(node).plotted, address) });
}

/** Takes an address out of everything that is done again and again. */
export function stopPolling(client: BenchClient, node: number, address: number): void {
  const { addresses, plotted } = pollingOf(node);
  changePolling(client, node, {
    addresses: new Set([...addresses].filter((one) => one !== address)),
    plotted: new Set([...plotted].filter((one) => one !== address)),
  });
}
