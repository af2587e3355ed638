import { useEffect, useRef, useState } from 'react';
import type { Client } from '../../../../server/contract/client/client.ts';
import { useBench, useBenchStore } from './context.tsx';

export interface QueryOptions {
  /** Keeps the previous answer while a request with another key is pending. */
  keep?: boolean;
  /** Asks again after each reconnect of the event stream: no event announced the changes in between. */
  live?: boolean;
  /** Milliseconds between an answer and the next request: for data without events. A hidden page waits until it is seen. */
  every?: number;
}

export interface Query<T> {
  data: T | undefined;
  /** Why the last request failed; `data` is then the answer before it, if the key is the same. */
  error: unknown;
  busy: boolean;
  /** Asks again. */
  reload(): void;
  /** Sets an answer from another source, such as the answer to a change. It supersedes a pending request. */
  put(data: T): void;
}

/** Calls back at once, or when a hidden page is seen again. */
function whenSeen(callback: () => void, signal: AbortSignal): void {
  if (document.visibilityState === 'visible') callback();
  else document.addEventListener('visibilitychange', callback, { once: true, signal });
}

/** Names a query; another value of a part makes another query. */
type QueryKey = readonly unknown[];

interface Answer<T> {
  key: QueryKey | undefined;
  data: T | undefined;
  error: unknown;
  busy: boolean;
}

const same = (a: QueryKey | undefined, b: QueryKey | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.length === b.length &&
    a.every((part, index) => Object.is(part, b[index])));

/** Changes with every connection of the event stream; undefined before the first. */
const useConnectionBegin = (): number | undefined =>
  useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => {
      switch (connection.kind) {
        case 'connecting':
          return undefined;
        case 'live':
          return connection.since;
        case 'waiting':
          return 0;
      }
    },
  );

/**
 * An answer of the service while a component shows it. The event stream keeps nodes, jobs and status up to date; a
 * query is for the rest. An obsolete query is aborted, and its answer is dropped.
 * @param key names the query with all its inputs; undefined sends no request
 */
export function useQuery<const K extends QueryKey, T>(
  key: K | undefined,
  ask: (service: Client, signal: AbortSignal, key: K) => Promise<T>,
  { keep = false, live = false, every }: QueryOptions = {},
): Query<T> {
  const { service } = useBench();
  const begin = useConnectionBegin();
  const question = useRef(key);
  if (!same(question.current, key)) question.current = key;
  const current = question.current;
  const latest = useRef(ask);
  latest.current = ask;
  const [answer, setAnswer] = useState<Answer<T>>({
    key: undefined,
    data: undefined,
    error: undefined,
    busy: false,
  });
  const [attempt, setAttempt] = useState(0);
  const puts = useRef(0);
  const connection = live ? begin : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is a reason to ask again
  useEffect(() => {
    if (current === undefined || connection === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      const before = puts.current;
      const wanted = () => !abort.signal.aborted && puts.current === before;
      try {
        const data = await latest.current(service, abort.signal, current);
        if (wanted()) setAnswer({ key: current, data, error: undefined, busy: false });
      } catch (error) {
        if (wanted())
          setAnswer(({ key: before, data }) => ({
            key: current,
            data: before === current ? data : undefined,
            error,
            busy: false,
          }));
      }
      if (every !== undefined && !abort.signal.aborted)
        timer = setTimeout(() => whenSeen(run, abort.signal), every);
    };
    setAnswer((before) => (before.key === current ? { ...before, busy: true } : before));
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [service, current, connection, attempt, every]);
  const own = answer.key === current;
  return {
    data: own || keep ? answer.data : undefined,
    error: own ? answer.error : undefined,
    busy: own ? answer.busy : current !== undefined,
    reload: () => setAttempt((before) => before + 1),
    put(data) {
      puts.current += 1;
      setAnswer({ key: current, data, error: undefined, busy: false });
    },
  };
}
