import { renewSession, restated, SessionTimer } from '../nodes/session.ts';
import type { Change, NodeState } from './node-state.ts';
import type { Services } from './services.ts';

/** Until an expired session is looked at again whose renewal is on its way to the disk, ms. */
const RENEWAL_MS = 50;
/** Uses of a session by streams are kept so often at least, ms. */
const LONGEST_RENEWAL_STEP_MS = 5000;

/** The life of a node's session: what is no job renews it, and it ends when nothing has for its lifetime. */
export class SessionLife {
  readonly #fpgaId: number;
  readonly #services: Services;
  readonly #state: () => NodeState;
  readonly #stopped: () => boolean;
  readonly #ended: () => void;
  readonly #reset: (why: string) => void;
  readonly #timer: SessionTimer;
  /** When something that is no job last used the session, and when that was last kept; monotonic ms. */
  #used = { sessionId: '', at: 0, kept: Number.NEGATIVE_INFINITY };

  constructor(options: {
    fpgaId: number;
    services: Services;
    state: () => NodeState;
    stopped: () => boolean;
    /** There is no session any more. */
    ended: () => void;
    /** Resets the node, of whose session nothing is left, and says why. */
    reset: (why: string) => void;
  }) {
    this.#fpgaId = options.fpgaId;
    this.#services = options.services;
    this.#state = options.state;
    this.#stopped = options.stopped;
    this.#ended = options.ended;
    this.#reset = options.reset;
    const { clock } = options.services;
    this.#timer = new SessionTimer(clock, {
      expired: () => this.#expire(),
      drifted: (session, left) => void this.#state().commit({ node: restated(session, left, clock) }, 'soon'),
    });
  }

  /** Goes by the session that the node has now. */
  watch(): void {
    const { session, lease } = this.#state().now;
    if (session === null) this.#ended();
    if (this.#stopped() || session === null || !lease) this.#timer.watch(null);
    else this.#timer.watch(session, lease.left_ms);
  }

  /** Watches nothing any more. */
  close(): void {
    this.#timer.watch(null);
  }

  /**
   * Something that is no job has used the session: it ends a whole lifetime after that, like after a run. Costs next to
   * nothing; the disk is told once in a while.
   */
  use(sessionId: string): void {
    const { settings, clock } = this.#services;
    const { session } = this.#state().now;
    if (session?.session_id !== sessionId) return;
    const now = clock.monotonic();
    const { kept } = this.#used;
    const step = Math.min(LONGEST_RENEWAL_STEP_MS, settings.sessionTtlSeconds * 100);
    const due = now - kept >= step || this.#used.sessionId !== sessionId;
    this.#used = { sessionId, at: now, kept: due ? now : kept };
    if (due) this.#renew(settings.sessionTtlSeconds);
  }

  /**
   * Gives the session a new id; resolves when it is on disk.
   * @throws store_unavailable.
   */
  async renewId(): Promise<void> {
    const staged = () => this.#services.store.bench.nodes[this.#fpgaId]?.session ?? null;
    const seen = staged()?.session_id;
    // A run that renews the session at the same time may bring the old id back.
    for (let session = staged(); session !== null && session.session_id === seen; session = staged())
      await this.#state().commit(
        { node: { session: { ...session, session_id: this.#services.newId() } } },
        'request',
      );
  }

  #renew(seconds: number): void {
    const { clock } = this.#services;
    const node: Change['node'] = ({ session, lease }) =>
      (session && lease && renewSession({ session, lease }, seconds, clock)) || {};
    void this.#state().commit({ node }, 'soon');
  }

  #expire(): void {
    const { store, clock, settings, logger } = this.#services;
    const { session, lease } = this.#state().now;
    const { sessionId, at } = this.#used;
    const left = at + settings.sessionTtlSeconds * 1000 - clock.monotonic();
    if (session?.session_id === sessionId && left > 0) {
      this.#renew(left / 1000);
      return;
    }
    if (store.bench.nodes[this.#fpgaId]?.lease !== lease) {
      // Renewed by a run that is on its way to the disk: what comes of it is known in a moment.
      clock.after(RENEWAL_MS, () => {
        if (this.#state().now.session === session && !this.#stopped()) this.#expire();
      });
      return;
    }
    const owner = session?.owner ?? 'nobody';
    logger.info({ fpga_id: this.#fpgaId, owner }, 'A session has expired; its node is reset.');
    const cause = { kind: 'expired', by: null, jobId: null } as const;
    void this.#state().commit({ node: { session: null, lease: null }, cause }, 'soon');
    this.#reset(`the session of ${owner} has expired`);
  }
}
