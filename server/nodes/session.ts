import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Session } from '../contract/nodes/nodes.ts';

/** How much of a session is left at a moment, given by every available clock. Stored with the node. */
export interface Lease {
  readonly left_ms: number;
  /** ISO 8601, UTC, by the wall clock, which may be set at any time. */
  readonly at: string;
  /** The boot of the computer and the time since then; a name of the process where the system names no boots. */
  readonly boot: string | null;
  readonly uptime_ms: number;
}

/** A session with its remaining time. */
export interface LeasedSession {
  readonly session: Session;
  readonly lease: Lease;
}

/** Time that a session keeps at least when only the wall clock claims that it is over. */
export const GRACE_MS = 300_000;
/** Difference between the shown end and the real end above which the shown end is corrected. */
const DRIFT_MS = 2_000;
/** Interval at which the timer reads the clocks… */
const STEP_MS = 30_000;
/** …and the most that one interval may exceed it. A longer gap means that the computer was asleep. */
const LATE_MS = 60_000;

/** Stands for the boot on Windows and macOS: a lease of this process is exact there too. */
const PROCESS = `process ${randomUUID()}`;

function sinceBoot(clock: Clock): { boot: string; milliseconds: number } {
  const { boot, milliseconds } = clock.sinceBoot?.() ?? { boot: null, milliseconds: clock.monotonic() };
  return { boot: boot ?? PROCESS, milliseconds };
}

function leaseOf(left: number, clock: Clock): Lease {
  const { boot, milliseconds } = sinceBoot(clock);
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

/** The session with `left` remaining; `expires_at` is the wall clock's time of the end. */
export const restated = (session: Session, left: number, clock: Clock): LeasedSession => ({
  session: { ...session, expires_at: expiry(left, clock) },
  lease: leaseOf(left, clock),
});

/** The session when the service starts: a changed wall clock gives a new `expires_at`. */
export function resumed(session: Session, left: number, clock: Clock): LeasedSession {
  const again = restated(session, left, clock);
  const drift = Date.parse(session.expires_at) - Date.parse(again.session.expires_at);
  return Math.abs(drift) > DRIFT_MS ? again : { ...again, session };
}

/** The session after an accepted run: it never ends earlier than before. Null where nothing changes. */
export function renewSession(
  { session, lease }: LeasedSession,
  ttlSeconds: number,
  clock: Clock,
): LeasedSession | null {
  const left = ttlSeconds * 1000;
  return left > timeLeft(lease, clock) ? restated(session, left, clock) : null;
}

/**
 * Milliseconds left of a lease; 0 when it is over. Within one boot of the computer the wall clock does not count. After
 * a reboot, or a restart of the service where boots have no name, it is the only source. A clock that was set back adds no time. A clock that says the session is over leaves
 * it GRACE_MS, because it may be wrong.
 */
export function timeLeft(lease: Lease, clock: Clock): number {
  const { boot, milliseconds } = sinceBoot(clock);
  if (boot === lease.boot) return Math.max(0, lease.left_ms - Math.max(0, milliseconds - lease.uptime_ms));
  const away = Math.max(0, clock.now() - Date.parse(lease.at));
  return Math.max(Math.min(lease.left_ms, GRACE_MS), lease.left_ms - away);
}

/** What the session timer reports. */
interface SessionWatcher {
  expired(session: Session): void;
  /** The wall clock was set: the shown end is wrong, the real one is in `left` ms. */
  drifted(session: Session, left: number): void;
}

/**
 * Watches a node's session and reports its expiry. It uses a monotonic clock and ignores the time that the computer was
 * asleep.
 */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #watcher: SessionWatcher;
  #session: Session | null = null;
  #left = 0;
  /** Monotonic time at which `#left` was right. */
  #since = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, watcher: SessionWatcher) {
    this.#clock = clock;
    this.#watcher = watcher;
  }

  /** Watches this session, with so many milliseconds left, or none. */
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
      const session = this.#session as Session;
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
