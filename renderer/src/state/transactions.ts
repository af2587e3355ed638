import { createStore } from 'zustand/vanilla';
import type { Failure } from '../../../server/contract/diagnostics.ts';
import type { RunRequest } from '../../../server/contract/jobs.ts';
import type { BenchClient } from './bench-client.ts';
import { explain } from './explain.ts';
import { onNextFrame } from './next-frame.ts';
import { recordWords } from './samples.ts';

/** A read or write that this window asked for, and what came back. */
export interface Transaction {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  request: RunRequest;
  state: 'running' | 'ok' | 'not-acknowledged' | 'failed';
  /** Words read; the words written, for a write. */
  data: number[];
  /** From the request to the result, milliseconds. */
  milliseconds?: number;
  failure?: Pick<Failure, 'message' | 'remedy'>;
  jobId?: string;
  /** True for a read that polling asked for. */
  polled?: boolean;
}

/** Transactions kept of a node; the oldest go first. */
const MOST_TRANSACTIONS = 20_000;

interface TransactionsState {
  /** Node → transactions, oldest first. A new array for every frame in which something changed. */
  byNode: Partial<Record<number, readonly Transaction[]>>;
}

export const transactions = createStore<TransactionsState>(() => ({ byNode: {} }));

let nextId = 1;

/** What was changed since the store was last told, which is once a frame: polling makes hundreds a second. */
const lists = new Map<number, Transaction[]>();
const tell = onNextFrame(() =>
  transactions.setState({
    byNode: Object.fromEntries([...lists].map(([node, list]) => [node, list.slice()])),
  }),
);

function put(client: BenchClient, node: number, transaction: Transaction): void {
  const list = lists.get(node) ?? [];
  lists.set(node, list);
  // The one that changes is nearly always the last: look from the end.
  let index = list.length - 1;
  while (index >= 0 && list[index]?.id !== transaction.id) index -= 1;
  if (index !== -1) list[index] = transaction;
  else {
    list.push(transaction);
    if (list.length > MOST_TRANSACTIONS) list.splice(0, list.length - MOST_TRANSACTIONS);
    // Polled reads are repeated by themselves: they are no loss that a release must ask about.
    if (!transaction.polled) client.unsaved.set(node, client.unsavedTransactions(node) + 1);
  }
  tell();
}

export function clearTransactions(client: BenchClient, node: number): void {
  lists.delete(node);
  client.unsaved.delete(node);
  tell();
}

/**
 * Runs one transaction on a node and records it in the node's history. Rejects with the service's refusal, which
 * is recorded as well.
 */
export async function runTransaction(
  client: BenchClient,
  node: number,
  request: RunRequest,
  origin: 'person' | 'poll' = 'person',
): Promise<Transaction> {
  const started = performance.now();
  let transaction: Transaction = {
    id: nextId++,
    at: Date.now(),
    request,
    state: 'running',
    data: request.data ?? [],
    ...(origin === 'poll' && { polled: true }),
  };
  put(client, node, transaction);
  const end = (change: Partial<Transaction>): Transaction => {
    transaction = { ...transaction, ...change, milliseconds: performance.now() - started };
    put(client, node, transaction);
    return transaction;
  };
  try {
    const { job_id: jobId } = await client.service.runTransaction({ fpga_id: node, body: request });
    client.mine.add(jobId);
    const address = { fpga_id: node, job_id: jobId };
    const job = await client.service.jobEnded(address);
    const { ok, data } = await client.service.getRunResult(address);
    if (job.status !== 'complete')
      return end({ state: 'failed', jobId, ...(job.failure && { failure: job.failure }) });
    if (!ok) return end({ state: 'not-acknowledged', jobId });
    const words = request.op === 2 ? data : (request.data ?? []);
    // A write tells what was sent, not what the register holds: it is shown, and the next read compares with it.
    recordWords(node, request.address, words, request.fixed_address === true, transaction.at);
    return end({ state: 'ok', jobId, data: words });
  } catch (error) {
    const { message, remedy } = explain(error);
    end({ state: 'failed', failure: { message, remedy: remedy ?? '' } });
    throw error;
  }
}
