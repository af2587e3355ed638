import { type Clock, every } from '../../clock.ts';
import type { NodePool } from '../../jobs/node-pool.ts';
import type { Logger } from '../../log.ts';
import type { CourseShares } from './course-shares.ts';
import { type Hold, MINUTE_MS } from './ledger.ts';

/** Interval of checks, ms. */
const CHECK_MS = 10_000;
/** The ledger is stored once a minute. */
const CHECKS_PER_SAVE = 6;
/** What is left of a session that is given back: the time to notice and to extend it, ms. */
const GRACE_MS = 120_000;

export interface GiveBackOptions {
  pool: Pick<NodePool, 'use' | 'nodes' | 'idleMs' | 'shortenSession' | 'placeWaiting'>;
  shares: CourseShares;
  clock: Clock;
  logger: Logger;
}

/**
 * Shortens sessions to the grace while others wait: those without an access for the minutes of their course, and those
 * on nodes that a course has booked. An access renews the former, nothing the latter.
 * @returns the function that ends it
 */
export function giveBackSessions({ pool, shares, clock, logger }: GiveBackOptions): () => void {
  const shorten = ({ fpga_id, owner }: Hold, why: string) => {
    logger.info({ fpga_id, owner, why }, 'A session is shortened, because others wait.');
    pool.shortenSession(fpga_id, GRACE_MS);
  };

  const check = () => {
    const use = pool.use();
    if (use.waiting.length === 0) return;
    const sessions = shares.ledger.sessions.sort((a, b) => pool.idleMs(b.fpga_id) - pool.idleMs(a.fpga_id));
    for (const session of sessions) {
      const isWanted = use.waiting.some((owner) => owner !== session.owner);
      if (isWanted && pool.idleMs(session.fpga_id) >= shares.limit(session.owner, 'idle_minutes') * MINUTE_MS)
        shorten(session, 'idle');
    }
    const idle = use.nodes.filter(({ free }) => free).length;
    const slots = shares.slots(use);
    /** In a course that holds no more nodes than it booked. */
    const isInSlot = (user: string) =>
      slots.some(({ members, held, booked }) => members.has(user) && held <= booked);
    for (const { members, missing: lacking } of slots) {
      const waiting = use.waiting.filter((owner) => members.has(owner)).length;
      const others = sessions.filter(({ owner }) => !members.has(owner) && !isInSlot(owner));
      const staying = others.filter((session) => !shares.yielding.has(session));
      const missing = Math.min(waiting, lacking) - idle - (others.length - staying.length);
      for (const session of staying.slice(0, Math.max(0, missing))) {
        shares.yielding.set(session, clock.now() + GRACE_MS);
        shorten(session, 'booked');
      }
    }
  };

  let checks = 0;
  return every(clock, CHECK_MS, () => {
    check();
    // A booking may have ended, or a day begun.
    pool.placeWaiting();
    if (++checks % CHECKS_PER_SAVE === 0) shares.ledger.save();
  });
}
