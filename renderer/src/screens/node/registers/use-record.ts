import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import type { Part } from '../../../state/actions/holding.ts';
import type { BenchClient } from '../../../state/client/bench-client.ts';
import { useBench, useBenchStore } from '../../../state/client/context.tsx';
import type { Subscription } from '../../../state/nodes/node-line.ts';
import { followStale } from '../../../state/registers/stale.ts';
import { beginRecord, loadRecord, recordedHere, takeRecord } from '../../../state/registers/transactions.ts';
import { restoreLimits } from './plot/limits.ts';
import { restorePolling } from './polling.ts';

/** First wait before reconnecting, ms; each further one is longer. */
const FIRST_RETRY = 1000;
const LAST_RETRY = 15_000;

/** Follows the record of a node until the signal ends it. */
async function follow(
  client: BenchClient,
  node: number,
  as: 'worker' | 'viewer',
  signal: AbortSignal,
): Promise<void> {
  const line = client.lines.of(node);
  let retry = FIRST_RETRY;
  while (!signal.aborted) {
    let followed: Subscription | null = null;
    const end = () => followed?.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      await loadRecord(client, node, signal);
      followed = await line.follow(
        as,
        (message) => {
          if (signal.aborted) return;
          if (message.type === 'session') beginRecord(client, node, message.record);
          else {
            takeRecord(node, message.transactions, (at) => line.here(at));
            // If this fails they are missing until the next message.
            if (message.skipped) void loadRecord(client, node, signal).catch(() => {});
          }
        },
        recordedHere(node),
      );
      if (!followed) return; // without streams every run is an event, and the view asks again
      retry = FIRST_RETRY;
      if (signal.aborted) followed.end();
      else await followed.over;
    } catch {
      // The view reports the problem with its own requests.
    } finally {
      signal.removeEventListener('abort', end);
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retry));
    retry = Math.min(LAST_RETRY, 2 * retry);
  }
}

/**
 * Keeps the list of transactions of the node's session complete: those from before the page was loaded, and those of
 * other callers. Also restores polls and plots.
 */
export function useRecord(node: NodeView, part: Part): void {
  const client = useBench();
  const { fpga_id: id, session, last_job_id } = node;
  const since = useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => (connection.kind === 'live' ? connection.since : undefined),
  );
  const way = useStore(client.lines.of(id).way, ({ kind }) => kind);
  const sessionId = session?.session_id;
  const as = part === 'viewer' || node.resetting ? 'viewer' : 'worker';
  useEffect(() => {
    followStale(client);
    if (sessionId === undefined) return;
    restorePolling(client, id);
    restoreLimits(client, id);
  }, [client, id, sessionId]);
  useEffect(() => {
    if (since === undefined || sessionId === undefined) return;
    const abort = new AbortController();
    void follow(client, id, as, abort.signal);
    return () => abort.abort();
  }, [client, id, sessionId, since, as]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every run that ends is one more in the record
  useEffect(() => {
    if (way !== 'runs' || since === undefined || sessionId === undefined) return;
    const abort = new AbortController();
    loadRecord(client, id, abort.signal).catch(() => {});
    return () => abort.abort();
  }, [client, id, way, since, sessionId, last_job_id]);
}
