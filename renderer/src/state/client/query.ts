import { useEffect, useRef, useState } from 'react';
import type { Client } from '../../../../server/contract/client/client.ts';
import { useBench, useBenchStore } from './context.tsx';

export interface QueryOptions {
  /** While another question is asked, the answer to the one before stays, rather than none. */
  keep?: boolean;
  /** Asked again whenever the event stream begins anew: what changed in between was announced to nobody. */
  live?: boolean;
  /** Milliseconds from an answer until it is asked for again: for what no event announces. */
  every?: number;
}

export interface Query<T> {
  data: T | undefined;
  /** Why the last answer did not come; `data` is then the one before it, if the question is the same. */
  error: unknown;
  busy: boolean;
  /** Asks again. */
  reload(): void;
  /** Takes an answer that came in another way, such as with a change that was made. One on its way is of before it. */
  put(data: T): void;
}

/** Names a question; it is another one when a part is another value. */
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

/** Changes with every connection of the event stream; undefined while the first is on its way. */
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
 * An answer of the service for as long as a component shows it. The event stream keeps nodes, jobs and status true;
 * this is for the rest: what is asked for once, or when something changed. A question that is not of interest any
 * more is aborted, and its answer never shown.
 * @param key names the question, with all that it depends on; nothing is asked while it is undefined
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
  const asked = question.current;
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
    if (asked === undefined || connection === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      const before = puts.current;
      const wanted = () => !abort.signal.aborted && puts.current === before;
      try {
        const data = await latest.current(service, abort.signal, asked);
        if (wanted()) setAnswer({ key: asked, data, error: undefined, busy: false });
      } catch (error) {
        if (wanted())
          setAnswer(({ key: of, data }) => ({
            key: asked,
            data: of === asked ? data : undefined,
            error,
            busy: false,
          }));
      }
      if (every !== undefined && !abort.signal.aborted) timer = setTimeout(run, every);
    };
    setAnswer((before) => (before.key === asked ? { ...before, busy: true } : before));
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [service, asked, connection, attempt, every]);
  const own = answer.key === asked;
  return {
    data: own || keep ? answer.data : undefined,
    error: own ? answer.error : undefined,
    busy: own ? answer.busy : asked !== undefined,
    reload: () => setAttempt((before) => before + 1),
    put(data) {
      puts.current += 1;
      setAnswer({ key: asked, data, error: undefined, busy: false });
    },
  };
}
