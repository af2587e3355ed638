import { type ControlQuestion, OPEN_QUESTIONS } from '../contract/control.ts';
import type { Session } from '../contract/nodes.ts';
import { jobsError } from '../errors/jobs.ts';
import { createSession, restated } from '../nodes/session.ts';
import type { StoredJob } from '../store/index.ts';
import type { NodeState } from './node-state.ts';
import type { Caller } from './pool.ts';
import { type Services, timestamp } from './services.ts';

/** Who asks for control of one node, and how its session passes from one holder to another. */
export class Control {
  readonly #services: Services;
  readonly #state: NodeState;
  readonly #resetting: () => boolean;
  readonly #changed: () => void;
  /** Oldest first; in memory alone: who still wants the node after a restart asks again. */
  #asking: readonly ControlQuestion[] = [];
  #handingOver = false;
  /** The last `seq` of a job that was accepted before the session was handed over last. */
  #handedOver = -1;

  constructor(options: {
    services: Services;
    state: NodeState;
    /** A reset or release is queued or running. */
    resetting: () => boolean;
    /** Somebody asks, or does not ask any more. */
    changed: () => void;
  }) {
    this.#services = options.services;
    this.#state = options.state;
    this.#resetting = options.resetting;
    this.#changed = options.changed;
  }

  /** Who asks, oldest first; never who holds the node. */
  get asking(): ControlQuestion[] {
    const holder = this.#state.now.session?.owner;
    return this.#asking.filter(({ owner }) => owner !== holder);
  }

  /**
   * Asks the holder for control; a second question of the same owner takes the place of the first, not its time.
   * @throws no_active_session, already_holder, too_many_questions.
   */
  ask({ owner }: Caller, note: string | null): ControlQuestion {
    const session = this.#held();
    if (session.owner === owner) throw jobsError('already_holder');
    const before = this.#asking.find((one) => one.owner === owner);
    if (!before && this.#asking.length >= OPEN_QUESTIONS) throw jobsError('too_many_questions');
    const question = { owner, since: before?.since ?? timestamp(this.#services.clock), note };
    this.#asking = before
      ? this.#asking.map((one) => (one === before ? question : one))
      : [...this.#asking, question];
    this.#changed();
    return question;
  }

  /** @throws no_question. */
  takeBack({ owner }: Caller): void {
    if (!this.#forget(owner)) throw jobsError('no_question');
    this.#changed();
  }

  /** Whether a job was accepted for who held the session before: what was to change it does not any more. */
  outdated({ seq }: StoredJob): boolean {
    return seq <= this.#handedOver;
  }

  /** The session is over, and all questions with it. */
  sessionEnded(): void {
    this.#asking = [];
  }

  /**
   * Makes somebody else the holder: the design stays on the board and jobs that wait still run. The session has a new id,
   * which nobody knows who held it before, and a whole lifetime. Resolves when that is on disk.
   * @throws no_active_session, fpga_not_reserved, already_holder, session_ended, store_unavailable, service_stopping.
   */
  async handOver(to: string, { owner: by }: Caller): Promise<Session> {
    const { fpga_id: fpgaId, state } = this.#state.now;
    const before = this.#held();
    if (state !== 'reserved' || this.#resetting())
      throw jobsError('fpga_not_reserved', {
        message: `Node ${fpgaId} is ${state === 'reserved' ? 'being reset' : state} and cannot be handed over.`,
      });
    if (before.owner === to) throw jobsError('already_holder');
    if (this.#handingOver)
      throw jobsError('session_ended', { message: `Node ${fpgaId} is being handed over already.` });
    const { clock, newId, settings, store } = this.#services;
    const { sessionTtlSeconds: ttlSeconds } = settings;
    const leased = createSession({ sessionId: newId(), fpgaId, owner: to, ttlSeconds, clock });
    const asked = this.#handedOver;
    this.#handingOver = true;
    this.#handedOver = store.bench.seq;
    try {
      const cause = { kind: 'handed_over', by, to } as const;
      await this.#state.commit({ node: leased, cause }, 'request');
    } catch (error) {
      this.#handedOver = asked;
      // A run that renewed the session meanwhile has taken the new one for granted.
      if (store.bench.nodes[fpgaId]?.session?.session_id === leased.session.session_id)
        void this.#state.commit({ node: restated(before, ttlSeconds * 1000, clock) }, 'soon');
      throw error;
    } finally {
      this.#handingOver = false;
    }
    this.#forget(to);
    return leased.session;
  }

  #held(): Session {
    const { session, state, fpga_id: id } = this.#state.now;
    if (session === null)
      throw jobsError('no_active_session', { message: `Node ${id} has no active session: it is ${state}.` });
    return session;
  }

  #forget(owner: string): boolean {
    const rest = this.#asking.filter((one) => one.owner !== owner);
    const found = rest.length < this.#asking.length;
    this.#asking = rest;
    return found;
  }
}
