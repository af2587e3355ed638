import type { Clock } from '../clock.ts';
import type { Session } from '../contract/nodes/nodes.ts';

/** How much of a session is left at a moment; the moment by every clock that there is. Kept with the node. */
export interface Lease {
  readonly left_ms: number;
  /** ISO 8601, UTC: by the clock on the wall, which may be set at any time. */
  readonly at: string;
  /** Which start of the computer, and how long after it; see Clock.sinceBoot. */
  readonly boot: string | null;
  readonly uptime_ms: number;
}

/** A session and how much of it is left. */
export interface LeasedSession {
  readonly session: Session;
  readonly lease: Lease;
}

/** What of its time a session keeps at least when only the clock on the wall says that it is over. */
export const GRACE_MS = 300_000;
/** By so much may the end that is shown differ from the one in force before it is said anew. */
const DRIFT_MS = 2_000;
/** The timer looks at the clocks so often… */
const STEP_MS = 30_000;
/** …and counts so much more than that at most: the rest the computer was asleep. */
const LATE_MS = 60_000;

function leaseOf(left: number, clock: Clock): Lease {
  const { boot, milliseconds } = clock.sinceBoot?.() ?? { boot: null, milliseconds: 0 };
  return { left_ms: left, at: new Date(clock.now()).toISOString(), boot, uptime_ms: milliseconds };
}

const expiry = (left: number, clock: Clock) => new Date(clock.now() + left).toISOString();

/** A session for the submitter, from the moment its design is on the board. */
export function createSession(options: {
  sessionId: string;
  fpgaId: number;
  owner: string;
  ttlSeconds: number;
  clock: Clock;
}): LeasedSession {
  const { sessionId, fpgaId, owner, ttlSeconds, clock } = options;
  const left = ttlSeconds * 1000;
  const session = { session_id: sessionId, fpga_id: fpgaId, owner, expires_at: expiry(left, clock) };
  return { session, lease: leaseOf(left, clock) };
}

/** The session with so much left from now on; `expires_at` is what the clock on the wall will say then. */
export const restated = (session: Session, left: number, clock: Clock): LeasedSession => ({
  session: { ...session, expires_at: expiry(left, clock) },
  lease: leaseOf(left, clock),
});

/** The session at a start of the service: its end is said anew where the clock on the wall was set meanwhile. */
export function resumed(session: Session, left: number, clock: Clock): LeasedSession {
  const again = restated(session, left, clock);
  const drift = Date.parse(session.expires_at) - Date.parse(again.session.expires_at);
  return Math.abs(drift) > DRIFT_MS ? again : { ...again, session };
}

/** The session after an accepted run: it never ends earlier than it would have. Null where that is no change. */
export function renewSession(
  { session, lease }: LeasedSession,
  ttlSeconds: number,
  clock: Clock,
): LeasedSession | null {
  const left = ttlSeconds * 1000;
  return left > timeLeft(lease, clock) ? restated(session, left, clock) : null;
}

/**
 * Milliseconds that are left of a lease; 0 when it is over. Within one start of the computer the clock on the wall
 * has no say in it. Beyond that it is all there is: one that was set back adds nothing, and one that says that the
 * session is over leaves it GRACE_MS, for it may be wrong.
 */
export function timeLeft(lease: Lease, clock: Clock): number {
  const { boot, milliseconds } = clock.sinceBoot?.() ?? { boot: null, milliseconds: 0 };
  if (boot !== null && boot === lease.boot)
    return Math.max(0, lease.left_ms - Math.max(0, milliseconds - lease.uptime_ms));
  const away = Math.max(0, clock.now() - Date.parse(lease.at));
  return Math.max(Math.min(lease.left_ms, GRACE_MS), lease.left_ms - away);
}

/** What the timer of a node's session tells. */
interface SessionWatcher {
  expired(session: Session): void;
  /** The clock on the wall was set: the end that is shown is not the one in force, which is in `left` ms. */
  drifted(session: Session, left: number): void;
}

/**
 * Watches the one session that a node can have and tells when it has expired: by a clock that never jumps, and
 * without the time for which the computer was asleep.
 */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #watcher: SessionWatcher;
  #session: Session | null = null;
  #left = 0;
  /** When `#left` was right, by the clock that never jumps. */
  #since = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, watcher: SessionWatcher) {
    this.#clock = clock;
    this.#watcher = watcher;
  }

  /** Watches this session from now on, which has so many milliseconds left, or none. */
  watch(session: Session | null, left = 0): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#session = session;
    this.#left = left;
    this.#since = this.#clock.monotonic();
    if (session !== null) this.#arm();
  }

  #arm(): void {
    const step = Math.min(this.#left, STEP_MS);
    this.#cancel = this.#clock.after(step, () => {
      const now = this.#clock.monotonic();
      this.#left -= Math.min(now - this.#since, step + LATE_MS);
      this.#since = now;
      this.#cancel = null;
      const session = this.#session;
      if (session === null) return;
      if (this.#left <= 0) {
        this.#session = null;
        this.#watcher.expired(session);
        return;
      }
      this.#arm();
      const shown = Date.parse(session.expires_at) - this.#clock.now();
      if (Math.abs(shown - this.#left) > DRIFT_MS) this.#watcher.drifted(session, this.#left);
    });
  }
}
