import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { BenchClient } from './bench-client.ts';

const Context = createContext<BenchClient | undefined>(undefined);

export function BenchProvider({ client, children }: { client: BenchClient; children: ReactNode }) {
  return <Context value={client}>{children}</Context>;
}

/** The client of the bench that this window shows. */
export function useBench(): BenchClient {
  const client = useContext(Context);
  if (client === undefined) throw new Error('useBench needs a BenchProvider above it.');
  return client;
}

/** One of the client's stores, or a part of it; the component renders again when that changes. */
export function useBenchStore<T, S = T>(
  pick: (client: BenchClient) => StoreApi<T>,
  select = (state: T) => state as unknown as S,
): S {
  return useStore(pick(useBench()), select);
}

export const useNodes = (): readonly NodeView[] | undefined =>
  useBenchStore(
    (client) => client.nodes,
    ({ nodes }) => nodes,
  );

export const useNode = (id: number): NodeView | undefined =>
  useBenchStore(
    (client) => client.nodes,
    ({ nodes }) => nodes?.find((node) => node.fpga_id === id),
  );

export const useJob = (jobId: string | null | undefined): Job | undefined =>
  useBenchStore(
    (client) => client.jobs,
    ({ byId }) => (jobId ? byId.get(jobId) : undefined),
  );

export const usePreference = <K extends keyof ReturnType<BenchClient['preferences']['getState']>>(key: K) =>
  useBenchStore(
    (client) => client.preferences,
    (preferences) => preferences[key],
  );

/** Whether the caller may do what only an operator may. */
export const useIsOperator = (): boolean =>
  useBenchStore(
    ({ status }) => status,
    ({ status }) => status?.caller?.operator === true,
  );
