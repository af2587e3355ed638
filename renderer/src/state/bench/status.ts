import { createStore } from 'zustand/vanilla';
import type { BenchStatus, SharedStatus } from '../../../../server/contract/bench/bench.ts';

/** The part of the status in every event stream, and the part that GET /status adds for this caller. */
type KnownStatus = SharedStatus & Partial<BenchStatus>;

/** The status of the bench; undefined until the service has answered. */
interface StatusState {
  status: KnownStatus | undefined;
}

export const createStatusStore = () => createStore<StatusState>(() => ({ status: undefined }));
type StatusStore = ReturnType<typeof createStatusStore>;

/** Merges a whole status, or the part from an event. */
export function mergeStatus(store: StatusStore, change: SharedStatus): void {
  store.setState(({ status }) => ({ status: { ...status, ...change } }));
}
