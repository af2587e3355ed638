import type { Clock } from '../clock.ts';
import type { Session } from '../contract/nodes.ts';

const expiry = (ttlSeconds: number, now: number) => new Date(now + ttlSeconds * 1000).toISOString();

/** A session for the submitter, from the moment its design is on the board. */
export function createSession(options: {
  sessionId: string;
  fpgaId: number;
  owner: string;
  ttlSeconds: number;
  now: number;
}): Session {
  const { sessionId, fpgaId, owner, ttlSeconds, now } = options;
  return { session_id: sessionId, fpga_id: fpgaId, owner, expires_at: expiry(ttlSeconds, now) };
}

/** The session after an accepted run: it never ends earlier than it would have. */
export function renewSession(session: Session, ttlSeconds: number, now: number): Session {
  const expires_at = expiry(ttlSeconds, now);
  return expires_at > session.expires_at ? { ...session, expires_at } : session;
}

/** Milliseconds until the session expires; 0 or less when it has. */
export const timeLeft = (session: Session, now: number): number => Date.parse(session.expires_at) - now;

/** Watches the one session that a node can have and tells when it has expired. */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #expired: (session: Session) => void;
  #session: Session | null = null;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, expired: (session: Session) => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** Watches this session from now on, or none. A renewal costs nothing: the timer looks again when it fires. */
  watch(session: Session | null): void {
    if (session?.session_id !== this.#session?.session_id) {
      this.#cancel?.();
      this.#cancel = null;
    }
    this.#session = session;
    if (session !== null && this.#cancel === null) this.#arm(session);
  }

  #arm(session: Session): void {
    this.#cancel = this.#clock.after(Math.max(0, timeLeft(session, this.#clock.now())), () => {
      this.#cancel = null;
      const current = this.#session;
      if (current === null) return;
      if (timeLeft(current, this.#clock.now()) > 0) this.#arm(current);
      else {
        this.#session = null;
        this.#expired(current);
      }
    });
  }
}
