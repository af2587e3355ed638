import { createStore } from 'zustand/vanilla';
import { StreamError } from '../../../../server/contract/client/stream.ts';
import type { Failure } from '../../../../server/contract/diagnostics.ts';
import type { RunRequest } from '../../../../server/contract/jobs/runs.ts';
import type { Transaction as Recorded } from '../../../../server/contract/stream/stream.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { explain } from '../page/explain.ts';
import { onNextFrame } from '../page/next-frame.ts';
import { isLive, lastValuesOf, MAX_WATCHED_WORDS, recordWords } from '../samples/samples.ts';

/** A read or write of the session, and what came back: this window's own, and what the bench has recorded. */
export interface Transaction {
  id: number;
  /** Its number in the bench's record; absent until the record has told of it. */
  seq?: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Who made it; absent for this window's own. */
  owner?: string;
  request: Pick<RunRequest, 'op' | 'address' | 'fixed_address'>;
  /** Words that were asked for or sent. */
  count: number;
  state: 'running' | 'ok' | 'not-acknowledged' | 'failed';
  /** Words read; the words written, for a write. Of long ones the first. */
  data: readonly number[];
  /** From the request to the result, milliseconds; of another window's the time that it took on the bench. */
  milliseconds?: number;
  failure?: Pick<Failure, 'message' | 'remedy'>;
  jobId?: string;
}

/** Transactions kept of a node, as many as the bench remembers; the oldest go first. */
const MAX_TRANSACTIONS = 10_000;
/** Own transactions that the record has yet to tell of: what was refused it never tells. */
const MAX_UNREPORTED = 1000;
/** Words kept of one transaction. */
const KEPT_WORDS = 256;
/** Codes of a transaction that reached the design, which did not answer. */
const NO_ACKNOWLEDGE = ['bus_timeout', 'bus_error', 'bus_fault'];

interface TransactionsState {
  /** Node → transactions, oldest first. A new array for every frame in which something changed. */
  byNode: Partial<Record<number, readonly Transaction[]>>;
}

export const transactions = createStore<TransactionsState>(() => ({ byNode: {} }));

/** What is kept of one session of one node. */
interface NodeTransactions {
  /** The session that the list is of; undefined before the first. */
  session: string | undefined;
  /** Names the bench's record of it: with the service a new one begins, with another holder it goes on. */
  record: string | undefined;
  /** The last seq of the record that is in the list, or was cleared. */
  seq: number;
  list: Transaction[];
  /** Own transactions that the record has not told of yet. */
  own: Transaction[];
}

let nextId = 1;
const byNode = new Map<number, NodeTransactions>();

/** Views are told once a frame: there may be hundreds of transactions a second. */
const tell = onNextFrame(() =>
  transactions.setState({
    byNode: Object.fromEntries([...byNode].map(([node, { list }]) => [node, list.slice()])),
  }),
);

const sessionOf = (client: BenchClient, node: number): string | undefined =>
  client.nodes.getState().nodes?.find(({ fpga_id }) => fpga_id === node)?.session?.session_id;

function keptOf(node: number): NodeTransactions {
  let kept = byNode.get(node);
  if (!kept) {
    kept = { session: undefined, record: undefined, seq: 0, list: [], own: [] };
    byNode.set(node, kept);
  }
  return kept;
}

/** Puts a transaction where its time says; it is nearly always the last. */
function insert(kept: NodeTransactions, transaction: Transaction): void {
  const { list } = kept;
  let at = list.length;
  while (at > 0 && (list[at - 1] as Transaction).at > transaction.at) at -= 1;
  if (at === list.length) list.push(transaction);
  else list.splice(at, 0, transaction);
  if (list.length > MAX_TRANSACTIONS) list.splice(0, list.length - MAX_TRANSACTIONS);
}

function replace({ list, own }: NodeTransactions, transaction: Transaction): void {
  for (const place of [list, own]) {
    // The one that changes is nearly always the last: look from the end.
    const index = place.findLastIndex(({ id }) => id === transaction.id);
    if (index !== -1) place[index] = transaction;
  }
}

export function clearTransactions(client: BenchClient, node: number): void {
  const kept = keptOf(node);
  kept.list = [];
  client.unsaved.delete(node);
  tell();
}

/** The words of an own transaction are those that the record tells of, as far as it tells them. */
const isSame = (own: Transaction, recorded: Recorded): boolean =>
  recorded.job_id !== null || own.jobId !== undefined
    ? own.jobId === recorded.job_id
    : (own.request.op === 1) === (recorded.op === 'write') &&
      own.request.address === recorded.address &&
      own.count === recorded.count &&
      (own.state === 'running' || recorded.data.every((word, index) => own.data[index] === word));

const fromRecord = (recorded: Recorded): Transaction => ({
  id: nextId++,
  seq: recorded.seq,
  at: Date.parse(recorded.at),
  owner: recorded.owner,
  request: {
    op: recorded.op === 'write' ? 1 : 2,
    address: recorded.address,
    fixed_address: recorded.fixed_address,
  },
  count: recorded.count,
  state: recorded.ok ? 'ok' : NO_ACKNOWLEDGE.includes(recorded.error ?? '') ? 'not-acknowledged' : 'failed',
  data: recorded.data,
  ...(recorded.ms !== null && { milliseconds: recorded.ms }),
  ...(recorded.job_id !== null && { jobId: recorded.job_id }),
  ...(recorded.error && { failure: { message: recorded.error, remedy: '' } }),
});

/** Takes the words of a transaction that is not of this window, unless something newer is known. */
function learn(node: number, recorded: Recorded, at: number): void {
  const { address, count, data, ok, fixed_address: fixed } = recorded;
  // Of long ones only the first words are there.
  if (!ok || data.length === 0 || (fixed ? data.length < count : count > MAX_WATCHED_WORDS)) return;
  const known = lastValuesOf(node).get(address);
  if (!known || known.at <= at) recordWords(node, address, data, fixed, at, recorded.op === 'write');
}

/** Which record is told of next: another one of another session replaces what is here, one of the same goes on. */
export function beginRecord(client: BenchClient, node: number, record: string): void {
  const kept = keptOf(node);
  if (kept.record === record) return;
  const session = sessionOf(client, node);
  // What was done before the first record was heard of is in it.
  const goesOn = kept.record === undefined;
  if (!goesOn && kept.session !== session) {
    kept.list = [];
    client.unsaved.delete(node);
  }
  kept.record = record;
  kept.session = session;
  kept.seq = 0;
  if (!goesOn) kept.own = kept.own.filter(({ state }) => state === 'running');
  tell();
}

/**
 * Takes transactions of the bench's record, oldest first; those that are here already are left out.
 * @param toHere time of the bench to that of this computer, ms
 */
export function takeRecord(
  node: number,
  recorded: readonly Recorded[],
  toHere: (at: number) => number = (at) => at,
): void {
  const kept = keptOf(node);
  for (const one of recorded) {
    if (one.seq <= kept.seq) continue;
    kept.seq = one.seq;
    const at = toHere(Date.parse(one.at));
    // Of polls the values count, which this window has at first hand where it polls itself.
    if (one.polled) {
      if (!isLive(node, one.address)) learn(node, one, at);
      continue;
    }
    const own = kept.own.findIndex((transaction) => isSame(transaction, one));
    const [mine] = own === -1 ? [] : kept.own.splice(own, 1);
    if (mine) replace(kept, { ...mine, seq: one.seq });
    else {
      insert(kept, { ...fromRecord(one), at });
      learn(node, one, at);
    }
  }
  tell();
}

/** How much of the record is known here. */
export const recordedHere = (node: number): { record: string | undefined; after: number } => {
  const { record, seq } = keptOf(node);
  return { record, after: seq };
};

/** Brings what the bench has recorded of the session and is not here yet. */
export async function loadRecord(client: BenchClient, node: number, signal?: AbortSignal): Promise<void> {
  const ask = (after: number) =>
    client.service.listTransactions({ fpga_id: node, limit: MAX_TRANSACTIONS, after }, signal && { signal });
  const { record, after } = recordedHere(node);
  let page = await ask(after);
  if (page.record !== record && after > 0) page = await ask(0);
  beginRecord(client, node, page.record);
  // Newest first.
  takeRecord(node, page.transactions.reverse());
}

type Done = Pick<Transaction, 'state'> & Partial<Pick<Transaction, 'data' | 'failure' | 'jobId'>>;

/** Over the stream of the node. @throws StreamError where the stream or the bench failed, not the design. */
async function overStream(client: BenchClient, node: number, request: RunRequest): Promise<Done | null> {
  const stream = await client.lines.of(node).stream();
  if (!stream) return null;
  const { op, address, data = [], count = 1, fixed_address: fixed = false } = request;
  try {
    if (op === 2) return { state: 'ok', data: await stream.read(address, count, { fixed }) };
    await stream.write(address, data, { fixed });
    return { state: 'ok', data };
  } catch (error) {
    if (error instanceof StreamError && NO_ACKNOWLEDGE.includes(error.code))
      return { state: 'not-acknowledged', failure: { message: error.message, remedy: '' } };
    throw error;
  }
}

/** As a job. */
async function asRun(client: BenchClient, node: number, request: RunRequest): Promise<Done> {
  const { job_id: jobId } = await client.service.runTransaction({ fpga_id: node, body: request });
  client.mine.add(jobId);
  const address = { fpga_id: node, job_id: jobId };
  const job = await client.service.jobEnded(address);
  const { ok, data } = await client.service.getRunResult(address);
  if (job.status !== 'complete')
    return { state: 'failed', jobId, ...(job.failure && { failure: job.failure }) };
  if (!ok) return { state: 'not-acknowledged', jobId };
  return { state: 'ok', jobId, data: request.op === 2 ? data : (request.data ?? []) };
}

const transact = async (client: BenchClient, node: number, request: RunRequest): Promise<Done> =>
  (await overStream(client, node, request)) ?? asRun(client, node, request);

/** What asks for the same again; undefined for a write of which not all words are kept. */
export function requestOf({ request, count, data }: Transaction): RunRequest | undefined {
  if (request.op === 2) return { ...request, count };
  return data.length === count ? { ...request, data: [...data] } : undefined;
}

/** Words of one read, in no list: what polling does where there is no stream. @throws what the service refuses. */
export async function readQuietly(
  client: BenchClient,
  node: number,
  address: number,
  count: number,
): Promise<Done> {
  return transact(client, node, { op: 2, address, count });
}

/**
 * Runs one transaction on a node and records it in the node's history. Resolves with all of its words. Rejects with
 * the service's refusal, which is recorded as well.
 */
export async function runTransaction(
  client: BenchClient,
  node: number,
  request: RunRequest,
): Promise<Transaction> {
  const started = performance.now();
  const kept = keptOf(node);
  const { op, address, fixed_address, data = [], count = 1 } = request;
  let transaction: Transaction = {
    id: nextId++,
    at: Date.now(),
    request: { op, address, ...(fixed_address && { fixed_address }) },
    count: op === 1 ? data.length : count,
    state: 'running',
    data: data.slice(0, KEPT_WORDS),
  };
  insert(kept, transaction);
  kept.own.push(transaction);
  if (kept.own.length > MAX_UNREPORTED) kept.own.shift();
  client.unsaved.set(node, client.unsavedTransactions(node) + 1);
  tell();
  const end = (done: Done): Transaction => {
    const milliseconds = performance.now() - started;
    // The record may have told of it already, and then gave it its number.
    const { seq } = kept.list.findLast(({ id }) => id === transaction.id) ?? {};
    transaction = { ...transaction, ...done, milliseconds, ...(seq !== undefined && { seq }) };
    replace(kept, { ...transaction, data: transaction.data.slice(0, KEPT_WORDS) });
    tell();
    return transaction;
  };
  try {
    const done = await transact(client, node, request);
    // A write tells what was sent, not what the register holds: it is shown so, and the next read compares with it.
    if (done.state === 'ok')
      recordWords(node, address, done.data ?? [], fixed_address === true, transaction.at, op === 1);
    return end(done);
  } catch (error) {
    const { message, remedy } = explain(error);
    end({ state: 'failed', failure: { message, remedy: remedy ?? '' } });
    throw error;
  }
}
