import { createStore } from 'zustand/vanilla';
import type { BenchStatus } from '../../../server/contract/bench.ts';

/** What every event stream brings, and what GET /status adds for this caller. */
export type KnownStatus = Partial<BenchStatus> &
  Pick<BenchStatus, 'version' | 'address' | 'lan' | 'enforcement' | 'clients' | 'store' | 'builds'>;

/** The bench as a whole; undefined until the service has answered. */
export interface StatusState {
  status: KnownStatus | undefined;
}

export const createStatusStore = () => createStore<StatusState>(() => ({ status: undefined }));
export type StatusStore = ReturnType<typeof createStatusStore>;

/** Takes a whole status, or the parts that an event brings. */
export function mergeStatus(store: StatusStore, change: Record<string, unknown>): void {
  const { status } = store.getState();
  if (status === undefined && !('version' in change)) return;
  store.setState({ status: { ...status, ...change } as KnownStatus });
}
