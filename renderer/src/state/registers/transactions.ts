import { createStore } from 'zustand/vanilla';
import { StreamError } from '../../../../server/contract/client/stream.ts';
import type { Failure } from '../../../../server/contract/diagnostics.ts';
import type { RunRequest } from '../../../../server/contract/jobs/runs.ts';
import type { Transaction as Recorded } from '../../../../server/contract/stream/stream.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { explain } from '../page/explain.ts';
import { onNextFrame } from '../page/next-frame.ts';
import { isLive, lastValuesOf, MAX_WATCHED_WORDS, recordWords } from '../samples/samples.ts';

/** A read or write of the session with its result: of this window, or from the bench's record. */
export interface Transaction {
  id: number;
  /** Sequence number in the bench's record; absent until the record has it. */
  seq?: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Absent for this window's own. */
  owner?: string;
  request: Pick<RunRequest, 'op' | 'address' | 'fixed_address'>;
  /** Words requested or sent. */
  count: number;
  state: 'running' | 'ok' | 'not-acknowledged' | 'failed';
  /** Words read or written; the first ones of a long transaction. */
  data: readonly number[];
  /** From request to result, ms; of another window, the time on the bench. */
  milliseconds?: number;
  failure?: Pick<Failure, 'message' | 'remedy'>;
  jobId?: string;
}

/** Maximum transactions per node, as many as the bench keeps; the oldest go first. */
const MAX_TRANSACTIONS = 10_000;
/** Maximum own transactions that the record does not have yet: it never has refused ones. */
const MAX_UNREPORTED = 1000;
/** Maximum words per transaction. */
const KEPT_WORDS = 256;
/** Error codes of a transaction that reached the design, but got no answer. */
const NO_ACKNOWLEDGE = ['bus_timeout', 'bus_error', 'bus_fault'];

interface TransactionsState {
  /** Node → transactions, oldest first. A new array in every frame with a change. */
  byNode: Partial<Record<number, readonly Transaction[]>>;
}

export const transactions = createStore<TransactionsState>(() => ({ byNode: {} }));

/** The transactions of one session of one node. */
interface NodeTransactions {
  /** The session of the list; undefined before the first. */
  session: string | undefined;
  /** Id of the bench's record. A restart of the service begins a new record; a hand-over continues it. */
  record: string | undefined;
  /** The last seq of the record in the list, or cleared from it. */
  seq: number;
  list: Transaction[];
  /** Own transactions that the record does not have yet. */
  own: Transaction[];
}

let nextId = 1;
const byNode = new Map<number, NodeTransactions>();

/** Updates the views once per frame: there may be hundreds of transactions a second. */
const tell = onNextFrame(() =>
  transactions.setState({
    byNode: Object.fromEntries([...byNode].map(([node, { list }]) => [node, list.slice()])),
  }),
);

const sessionOf = (client: BenchClient, node: number): string | undefined =>
  client.nodes.getState().nodes?.find(({ fpga_id }) => fpga_id === node)?.session?.session_id;

function transactionsOf(node: number): NodeTransactions {
  let entry = byNode.get(node);
  if (!entry) {
    entry = { session: undefined, record: undefined, seq: 0, list: [], own: [] };
    byNode.set(node, entry);
  }
  return entry;
}

/** Inserts a transaction by its time; it is nearly always the last. */
function insert(entry: NodeTransactions, transaction: Transaction): void {
  const { list } = entry;
  let at = list.length;
  while (at > 0 && (list[at - 1] as Transaction).at > transaction.at) at -= 1;
  if (at === list.length) list.push(transaction);
  else list.splice(at, 0, transaction);
  if (list.length > MAX_TRANSACTIONS) list.splice(0, list.length - MAX_TRANSACTIONS);
}

function replace({ list, own }: NodeTransactions, transaction: Transaction): void {
  for (const place of [list, own]) {
    // It is nearly always the last: search from the end.
    const index = place.findLastIndex(({ id }) => id === transaction.id);
    if (index !== -1) place[index] = transaction;
  }
}

export function clearTransactions(client: BenchClient, node: number): void {
  const entry = transactionsOf(node);
  entry.list = [];
  client.unsaved.delete(node);
  tell();
}

/** Whether a recorded transaction is an own one, by as many words as the record has. */
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

/** Stores the words of another window's transaction, unless newer ones are known. */
function learn(node: number, recorded: Recorded, at: number): void {
  const { address, count, data, ok, fixed_address: fixed } = recorded;
  // A long transaction has only its first words here.
  if (!ok || data.length === 0 || (fixed ? data.length < count : count > MAX_WATCHED_WORDS)) return;
  const known = lastValuesOf(node).get(address);
  if (!known || known.at <= at) recordWords(node, address, data, fixed, at, recorded.op === 'write');
}

/** Begins the record of a session: a new session replaces the list, the same one continues it. */
export function beginRecord(client: BenchClient, node: number, record: string): void {
  const entry = transactionsOf(node);
  if (entry.record === record) return;
  const session = sessionOf(client, node);
  // The first record has everything from before.
  const goesOn = entry.record === undefined;
  if (!goesOn && entry.session !== session) {
    entry.list = [];
    client.unsaved.delete(node);
  }
  entry.record = record;
  entry.session = session;
  entry.seq = 0;
  if (!goesOn) entry.own = entry.own.filter(({ state }) => state === 'running');
  tell();
}

/**
 * Takes transactions of the bench's record, oldest first, and skips known ones.
 * @param toHere converts a time of the bench to this computer's, ms
 */
export function takeRecord(
  node: number,
  recorded: readonly Recorded[],
  toHere: (at: number) => number = (at) => at,
): void {
  const entry = transactionsOf(node);
  for (const one of recorded) {
    if (one.seq <= entry.seq) continue;
    entry.seq = one.seq;
    const at = toHere(Date.parse(one.at));
    // Of a poll only the values count. A window that polls itself has them already.
    if (one.polled) {
      if (!isLive(node, one.address)) learn(node, one, at);
      continue;
    }
    const own = entry.own.findIndex((transaction) => isSame(transaction, one));
    const [mine] = own === -1 ? [] : entry.own.splice(own, 1);
    if (mine) replace(entry, { ...mine, seq: one.seq });
    else {
      insert(entry, { ...fromRecord(one), at });
      learn(node, one, at);
    }
  }
  tell();
}

/** How much of the record this window has. */
export const recordedHere = (node: number): { record: string | undefined; after: number } => {
  const { record, seq } = transactionsOf(node);
  return { record, after: seq };
};

/** Loads the missing part of the session's record. */
export async function loadRecord(client: BenchClient, node: number, signal?: AbortSignal): Promise<void> {
  const ask = (after: number) =>
    client.service.listTransactions({ fpga_id: node, limit: MAX_TRANSACTIONS, after }, signal && { signal });
  const { record, after } = recordedHere(node);
  let page = await ask(after);
  if (page.record !== record && after > 0) page = await ask(0);
  beginRecord(client, node, page.record);
  // The answer has the newest first.
  takeRecord(node, page.transactions.reverse());
}

type Done = Pick<Transaction, 'state'> & Partial<Pick<Transaction, 'data' | 'failure' | 'jobId'>>;

/** Runs it over the stream of the node. @throws StreamError if the stream or the bench fails, not the design */
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

/** Runs it as a job. */
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

/** The request to repeat a transaction; undefined for a write with more words than stored. */
export function requestOf({ request, count, data }: Transaction): RunRequest | undefined {
  if (request.op === 2) return { ...request, count };
  return data.length === count ? { ...request, data: [...data] } : undefined;
}

/** Reads words without a list entry, for polls without a stream. @throws the service's refusal */
export async function readQuietly(
  client: BenchClient,
  node: number,
  address: number,
  count: number,
): Promise<Done> {
  return transact(client, node, { op: 2, address, count });
}

/**
 * Runs one transaction on a node and adds it to the list. Resolves with all its words. Rejects with the service's
 * refusal, which the list shows too.
 */
export async function runTransaction(
  client: BenchClient,
  node: number,
  request: RunRequest,
): Promise<Transaction> {
  const started = performance.now();
  const entry = transactionsOf(node);
  const { op, address, fixed_address, data = [], count = 1 } = request;
  let transaction: Transaction = {
    id: nextId++,
    at: Date.now(),
    request: { op, address, ...(fixed_address && { fixed_address }) },
    count: op === 1 ? data.length : count,
    state: 'running',
    data: data.slice(0, KEPT_WORDS),
  };
  insert(entry, transaction);
  entry.own.push(transaction);
  if (entry.own.length > MAX_UNREPORTED) entry.own.shift();
  client.unsaved.set(node, client.unsavedTransactions(node) + 1);
  tell();
  const end = (done: Done): Transaction => {
    const milliseconds = performance.now() - started;
    // The record may have had it first, with its seq.
    const { seq } = entry.list.findLast(({ id }) => id === transaction.id) ?? {};
    transaction = { ...transaction, ...done, milliseconds, ...(seq !== undefined && { seq }) };
    replace(entry, { ...transaction, data: transaction.data.slice(0, KEPT_WORDS) });
    tell();
    return transaction;
  };
  try {
    const done = await transact(client, node, request);
    // A write shows what was sent, not what the register holds; the next read compares with it.
    if (done.state === 'ok')
      recordWords(node, address, done.data ?? [], fixed_address === true, transaction.at, op === 1);
    return end(done);
  } catch (error) {
    const { message, remedy } = explain(error);
    end({ state: 'failed', failure: { message, remedy: remedy ?? '' } });
    throw error;
  }
}
