import type { StoredUnplacedJob } from '../store/index.ts';

/** A node as shares count it. */
export interface NodeUse {
  readonly fpgaId: number;
  /** Who holds it or builds for it; null while it is idle. */
  readonly holder: string | null;
  /** A job can come to it now. */
  readonly free: boolean;
}

/** The use of the whole bench at a moment. */
export interface BenchUse {
  readonly nodes: readonly NodeUse[];
  /** The owner of each job that waits for a node. */
  readonly waiting: readonly string[];
}

/** Where a submit goes: to an idle node, to wait for one, or in the place of the owner's own session. */
export type SubmitTarget = 'idle node' | 'line' | 'own node';

/** Rules by which users share the nodes. Jobs ask them; without rules the order of acceptance decides. */
export interface SharePolicy {
  /** @throws share_used_up, nodes_booked where the owner may not submit. */
  requireSubmit(owner: string, to: SubmitTarget, use: BenchUse): void;
  /** @throws share_used_up where the owner may not get the node of another holder. */
  requireReceiver(owner: string, use: BenchUse): void;
  /** Whether one more node is within the owner’s share. @param elsewhere nodes of other benches that it uses */
  hasRoom(owner: string, use: BenchUse, elsewhere?: number): boolean;
  /** Whether a waiting job of the owner may have an idle node now. */
  mayTake(owner: string, use: BenchUse): boolean;
  /** Milliseconds that a session of the owner on a node may last from now; infinite without a limit. */
  sessionLimitMs(fpgaId: number, owner: string): number;
  /** The waiting jobs in the order in which they get nodes. */
  order(jobs: readonly StoredUnplacedJob[]): StoredUnplacedJob[];
  /**
   * A node got a session, or another holder, or lost its session: then the owner is null.
   * @param user who holds the node or builds for it; default the owner
   */
  sessionChanged(fpgaId: number, owner: string | null, user?: string | null): void;
}

/** The order of acceptance, without limits. */
export const NO_SHARES: SharePolicy = {
  requireSubmit: () => {},
  requireReceiver: () => {},
  hasRoom: () => true,
  mayTake: () => true,
  sessionLimitMs: () => Number.POSITIVE_INFINITY,
  order: (jobs) => [...jobs].sort((a, b) => a.seq - b.seq),
  sessionChanged: () => {},
};
