import { createStore } from 'zustand/vanilla';
import type { RunRequest } from '../../../../server/contract/jobs/runs.ts';
import type { Transaction as Recorded } from '../../../../server/contract/stream/stream.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { explain } from '../page/explain.ts';
import { onNextFrame } from '../page/next-frame.ts';
import { forgetAddress, isLive, lastValuesOf, MAX_WATCHED_WORDS, recordWords } from '../samples/samples.ts';
import { followBuilds, type RunBuild, runBuilds } from './builds.ts';
import { type Cleared, clearedOf, storeCleared } from './cleared.ts';
import { earlierOf, storeEarlier } from './earlier.ts';
import { type Done, NO_ACKNOWLEDGE, transact } from './transact.ts';
import type { Transaction } from './transaction.ts';

export type { Transaction };

/** Maximum transactions per node, as many as the bench keeps; the oldest go first. */
const MAX_TRANSACTIONS = 10_000;
/** Maximum own transactions that the record does not have yet: it never has refused ones. */
const MAX_UNREPORTED = 1000;
/** Maximum words per transaction. */
const KEPT_WORDS = 256;

interface TransactionsState {
  /** Node → transactions, oldest first. A new array in every frame with a change. */
  byNode: Partial<Record<number, readonly Transaction[]>>;
}

export const transactions = createStore<TransactionsState>(() => ({ byNode: {} }));

/** The transactions of one node, of all its sessions while this page is open. */
interface NodeTransactions {
  /** Id of the bench's record. A restart of the service begins a new record; a hand-over continues it. */
  record: string | undefined;
  /** The last seq of the record that was taken. */
  seq: number;
  /** What the person does not want to see of the record. */
  cleared: Cleared;
  list: Transaction[];
  /** Own transactions that the record does not have yet. */
  own: Transaction[];
}

const NOTHING_CLEARED: Cleared = { seq: 0, removed: {} };

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
    entry = { record: undefined, seq: 0, cleared: NOTHING_CLEARED, list: [], own: [] };
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

/** Remembers the list for a reload: the bench drops its record when the next session begins. */
const keepEarlier = (client: BenchClient, node: number): void =>
  storeEarlier(client, node, sessionOf(client, node), {
    list: transactionsOf(node).list,
    builds: runBuilds.getState()[node] ?? [],
  });

/** Follows the builds of a client's nodes: their transactions stay when the next build begins to run. */
const follow = (client: BenchClient): void =>
  followBuilds(client, (node) => {
    if (transactionsOf(node).list.length > 0) keepEarlier(client, node);
  });

function changeCleared(client: BenchClient, node: number, cleared: Cleared): void {
  const entry = transactionsOf(node);
  entry.cleared = cleared;
  if (entry.record !== undefined) storeCleared(client, node, entry.record, cleared);
}

/** Clears the list of a node, also for a reload. Returns what brings it back. */
export function clearTransactions(client: BenchClient, node: number): () => void {
  const entry = transactionsOf(node);
  const { list, cleared } = entry;
  const { [node]: builds = [] } = runBuilds.getState();
  const unsaved = client.unsavedTransactions(node);
  const put = (to: Transaction[], shown: readonly RunBuild[], next: Cleared, count: number) => {
    entry.list = to;
    runBuilds.setState({ [node]: shown });
    changeCleared(client, node, next);
    keepEarlier(client, node);
    client.unsaved.set(node, count);
    tell();
  };
  const running = list.filter(({ state }) => state === 'running');
  const current = builds.slice(-1).map((build) => ({ ...build, at: 0 }));
  const left = running.length;
  put(running, current, { ...cleared, seq: entry.seq }, left);
  return () => {
    const since = new Map(entry.list.map((one) => [one.id, one]));
    const before = list.map((one) => since.get(one.id) ?? one);
    for (const { id } of list) since.delete(id);
    const { [node]: later = [] } = runBuilds.getState();
    const all = [...builds, ...later.filter(({ at }) => at > 0)];
    const next = { ...entry.cleared, seq: cleared.seq };
    put([...before, ...since.values()], all, next, unsaved + client.unsavedTransactions(node) - left);
  };
}

/** Removes a register from the watch, also for a reload, until somebody reads it again. Returns what brings it back. */
export function removeRegister(client: BenchClient, node: number, address: number): () => void {
  const entry = transactionsOf(node);
  const { record, cleared } = entry;
  changeCleared(client, node, { ...cleared, removed: { ...cleared.removed, [address]: entry.seq } });
  const restore = forgetAddress(node, address);
  return () => {
    restore();
    if (entry.record !== record) return;
    const { [address]: _, ...removed } = entry.cleared.removed;
    changeCleared(client, node, { ...entry.cleared, removed });
  };
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
  const { address, count, data, ok, fixed_address: fixed, seq } = recorded;
  // A long transaction has only its first words here.
  if (!ok || data.length === 0 || (fixed ? data.length < count : count > MAX_WATCHED_WORDS)) return;
  const known = lastValuesOf(node).get(address);
  if (known && known.at > at) return;
  const { removed } = transactionsOf(node).cleared;
  const isWrite = recorded.op === 'write';
  const isRemoved = (place: number) => seq <= (removed[place] ?? 0);
  if (fixed ? !isRemoved(address) : !data.some((_, index) => isRemoved(address + 4 * index)))
    recordWords(node, address, data, fixed, at, isWrite);
  else if (!fixed)
    data.forEach((word, index) => {
      const place = address + 4 * index;
      if (!isRemoved(place)) recordWords(node, place, [word], false, at, isWrite);
    });
}

/** Begins the record of a session. The transactions of earlier sessions stay, and the view names each build. */
export function beginRecord(client: BenchClient, node: number, record: string): void {
  const entry = transactionsOf(node);
  if (entry.record === record) return;
  // The first record has everything of its session; this browser has what was before it.
  if (entry.record === undefined) restoreEarlier(client, node, entry);
  else entry.own = entry.own.filter(({ state }) => state === 'running');
  entry.record = record;
  entry.seq = 0;
  entry.cleared = clearedOf(client, node, record);
  tell();
}

/** Puts the transactions from before the last replace in front of the list, after a reload. */
function restoreEarlier(client: BenchClient, node: number, entry: NodeTransactions): void {
  follow(client);
  const earlier = earlierOf(client, node, sessionOf(client, node));
  if (!earlier) return;
  entry.list = [...earlier.list.map((one) => ({ ...one, id: nextId++ })), ...entry.list];
  runBuilds.setState({ [node]: earlier.builds });
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
      if (one.seq > entry.cleared.seq) insert(entry, { ...fromRecord(one), at });
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
