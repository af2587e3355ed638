// The transactions of a node from before its last replace, in this browser.
import type { BenchClient } from '../client/bench-client.ts';
import { readStored, writeStored } from '../page/preferences.ts';
import type { RunBuild } from './builds.ts';
import type { Transaction } from './transaction.ts';

interface Earlier {
  list: readonly Transaction[];
  builds: readonly RunBuild[];
}

const KEY = 'wishbench.earlier-transactions';
/** Maximum stored transactions of a node, and words of each: a browser stores about 5 MB in all. */
const MAX_STORED = 1000;
const STORED_WORDS = 8;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const all = ({ memory }: BenchClient): Record<string, unknown> => {
  const stored = readStored(memory, KEY);
  return isRecord(stored) ? stored : {};
};

/** Under enforcement others see no session but this one, whichever it is. */
const HIDDEN_SESSION = /^[0-]*$/;
const ENDED = ['ok', 'not-acknowledged', 'failed'];

function isTransaction(value: unknown): value is Transaction {
  if (!isRecord(value) || !isRecord(value['request'])) return false;
  const { at, count, state, data, request } = value;
  return (
    typeof at === 'number' &&
    typeof count === 'number' &&
    ENDED.includes(String(state)) &&
    Array.isArray(data) &&
    data.every((word) => typeof word === 'number') &&
    typeof request['address'] === 'number' &&
    (request['op'] === 1 || request['op'] === 2)
  );
}

const isBuild = (value: unknown): value is RunBuild =>
  isRecord(value) &&
  typeof value['at'] === 'number' &&
  typeof value['file'] === 'string' &&
  typeof value['buildId'] === 'string';

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Stores what was before the present session of a node; nothing is left of the sessions before. */
export function storeEarlier(
  client: BenchClient,
  node: number,
  session: string | undefined,
  { list, builds }: Earlier,
): void {
  // The bench has the transactions of the present build.
  const began = builds.at(-1)?.at ?? 0;
  const ended = list
    .filter(({ at, state }) => at < began && state !== 'running')
    .slice(-MAX_STORED)
    .map(({ seq: _, ...one }) => ({ ...one, data: one.data.slice(0, STORED_WORDS) }));
  const { [node]: _, ...others } = all(client);
  const stored =
    session === undefined || HIDDEN_SESSION.test(session) || ended.length === 0
      ? {}
      : { [node]: { session, list: ended, builds } };
  writeStored(client.memory, KEY, { ...others, ...stored });
}

/** What was stored for the present session of a node. */
export function earlierOf(
  client: BenchClient,
  node: number,
  session: string | undefined,
): Earlier | undefined {
  const stored = all(client)[node];
  if (!isRecord(stored) || session === undefined || stored['session'] !== session) return undefined;
  return {
    list: listIn(stored['list']).filter(isTransaction),
    builds: listIn(stored['builds']).filter(isBuild),
  };
}
