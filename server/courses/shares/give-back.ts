import { type Clock, every } from '../../clock.ts';
import type { NodePool } from '../../jobs/pool.ts';
import type { NodeUse } from '../../jobs/share-policy.ts';
import type { Logger } from '../../log.ts';
import { missingIn } from './bookings.ts';
import type { CourseShares } from './course-shares.ts';

/** Interval of checks, ms. */
const CHECK_MS = 10_000;
/** The ledgers are stored once a minute. */
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
  const shorten = (fpgaId: number, owner: string, why: string) => {
    logger.info({ fpga_id: fpgaId, owner, why }, 'A session is shortened, because others wait.');
    pool.shortenSession(fpgaId, GRACE_MS);
  };

  const check = () => {
    const use = pool.use();
    if (use.waiting.length === 0) return;
    const held = use.nodes
      .filter(
        (node): node is NodeUse & { holder: string } => shares.sessionOn(node.fpgaId)?.owner === node.holder,
      )
      .sort((a, b) => pool.idleMs(b.fpgaId) - pool.idleMs(a.fpgaId));
    for (const { fpgaId, holder } of held) {
      const isWanted = use.waiting.some((owner) => owner !== holder);
      if (isWanted && pool.idleMs(fpgaId) >= shares.limit(holder, 'idle_minutes') * 60_000)
        shorten(fpgaId, holder, 'idle');
    }
    const idle = use.nodes.filter(({ free }) => free).length;
    const slots = shares.slots(use);
    /** In a course that holds no more nodes than it booked. */
    const isInSlot = (user: string) =>
      slots.some(({ members, held: ofMembers, booked }) => members.has(user) && ofMembers <= booked);
    for (const slot of slots) {
      const { members } = slot;
      const waiting = use.waiting.filter((owner) => members.has(owner)).length;
      const others = held.filter(({ holder }) => !members.has(holder) && !isInSlot(holder));
      const staying = others.filter(({ fpgaId }) => !shares.isYielding(fpgaId));
      const missing = Math.min(waiting, missingIn(slot)) - idle - (others.length - staying.length);
      for (const { fpgaId, holder } of staying.slice(0, Math.max(0, missing))) {
        shares.yield(fpgaId, holder, GRACE_MS);
        shorten(fpgaId, holder, 'booked');
      }
    }
  };

  let checks = 0;
  return every(clock, CHECK_MS, () => {
    check();
    // A booking may have ended, or a day begun.
    pool.placeWaiting();
    if (++checks % CHECKS_PER_SAVE === 0) shares.save();
  });
}
