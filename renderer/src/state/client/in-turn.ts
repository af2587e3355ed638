import type { BenchClient } from './bench-client.ts';

/** The last action of each key, until it ends. */
const last = new WeakMap<BenchClient, Map<string, Promise<unknown>>>();

/** Acts once the earlier actions of the same key have ended, however they ended. */
export function inTurn<T>(client: BenchClient, key: string, act: () => Promise<T>): Promise<T> {
  const actions = last.get(client) ?? new Map<string, Promise<unknown>>();
  last.set(client, actions);
  const action = actions.get(key)?.then(act, act) ?? act();
  actions.set(key, action);
  const end = () => {
    if (actions.get(key) === action) actions.delete(key);
  };
  action.then(end, end);
  return action;
}
