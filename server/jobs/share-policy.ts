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

/** Rules by which users share the nodes. Jobs ask them; without rules the order of acceptance decides. */
export interface SharePolicy {
  /**
   * Whether the owner may submit: to an idle node, for a node that it waits for, or in the place of its own session.
   * @throws share_used_up, nodes_booked.
   */
  requireSubmit(owner: string, to: 'idle node' | 'line' | 'own node', use: BenchUse): void;
  /** Whether a waiting job of the owner may have an idle node now. */
  mayTake(owner: string, use: BenchUse): boolean;
  /** Milliseconds that a session of the owner on a node may last from now; infinite without a limit. */
  sessionLimitMs(fpgaId: number, owner: string): number;
  /** The waiting jobs in the order in which they get nodes. */
  order(jobs: readonly StoredUnplacedJob[]): StoredUnplacedJob[];
  /** A node got a session, or another holder, or lost its session: then the owner is null. */
  sessionChanged(fpgaId: number, owner: string | null): void;
}

/** The order of acceptance, without limits. */
export const NO_SHARES: SharePolicy = {
  requireSubmit: () => {},
  mayTake: () => true,
  sessionLimitMs: () => Number.POSITIVE_INFINITY,
  order: (jobs) => [...jobs].sort((a, b) => a.seq - b.seq),
  sessionChanged: () => {},
};
