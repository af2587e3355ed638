import { createStore } from 'zustand/vanilla';
import type { BenchStatus, SharedStatus } from '../../../../server/contract/bench/bench.ts';

/** What every event stream brings, and what GET /status adds for this caller. */
type KnownStatus = SharedStatus & Partial<BenchStatus>;

/** The bench as a whole; undefined until the service has answered. */
interface StatusState {
  status: KnownStatus | undefined;
}

export const createStatusStore = () => createStore<StatusState>(() => ({ status: undefined }));
type StatusStore = ReturnType<typeof createStatusStore>;

/** Takes a whole status, or the part of it that events bring. */
export function mergeStatus(store: StatusStore, change: SharedStatus): void {
  store.setState(({ status }) => ({ status: { ...status, ...change } }));
}
