import type { Clock } from '../../clock.ts';
import type { ShareUse } from '../../contract/courses/shares.ts';
import { coursesError } from '../../errors/courses.ts';
import type { BenchUse, SharePolicy, SubmitTarget } from '../../jobs/share-policy.ts';
import type { StoredUnplacedJob } from '../../store/index.ts';
import type { StoredCourse } from '../records.ts';
import { type BookedSlot, bookedNodes, hasIdleNode, slotsAt } from './bookings.ts';
import type { Ledger } from './ledger.ts';
import { type Limit, limitOf, type Membership, membershipsOf } from './limits.ts';
import { lineOf } from './line.ts';

const MINUTE_MS = 60_000;

export interface CourseSharesOptions {
  /** Courses whose term is not over. */
  open(): readonly StoredCourse[];
  /** Sessions: the basis of minutes. */
  ledger: Ledger;
  /** Nodes with the builds for them: the basis of the line. */
  occupancy: Ledger;
  clock: Clock;
}

/** The shares of courses as rules of the bench. Users of no course have no limits, except the bookings of others. */
export class CourseShares implements SharePolicy {
  readonly #options: CourseSharesOptions;
  #known: { open: readonly StoredCourse[]; memberships: Map<string, Membership[]> } | null = null;
  /** Sessions that make room for a booking: the moment at which each ends, by node. */
  readonly #yielding = new Map<number, { owner: string; end: number }>();

  constructor(options: CourseSharesOptions) {
    this.#options = options;
  }

  requireSubmit(owner: string, to: SubmitTarget, use: BenchUse): void {
    const refuse = (message: string, remedy: string): never => {
      throw coursesError('share_used_up', { message, remedy });
    };
    if (this.#minutesLeft(owner) <= 0)
      refuse(
        'Your minutes for today are used up.',
        'Hand in what you have built; you get new minutes tomorrow.',
      );
    if (to === 'own node') return;
    if (to === 'line') {
      const most = this.#limit(owner, 'queued_jobs');
      if (use.waiting.filter((one) => one === owner).length >= most)
        refuse(
          `You have ${most} waiting jobs, which is your share.`,
          'Cancel one, or wait until one has a node.',
        );
      return;
    }
    if (!this.hasRoom(owner, use)) {
      const most = this.#limit(owner, 'sessions');
      const nodes = most === 1 ? 'a node' : `${most} nodes`;
      refuse(`You have ${nodes}, which is your share.`, 'Release a node first.');
    }
    if (!hasIdleNode(owner, this.slots(use), use)) throw coursesError('nodes_booked');
  }

  requireReceiver(owner: string, use: BenchUse): void {
    if (this.hasRoom(owner, use)) return;
    throw coursesError('share_used_up', {
      message: `${owner} can’t get another node: the share of ${owner} is used up.`,
      remedy: `Wait until ${owner} has released a node, or has new minutes.`,
    });
  }

  hasRoom(owner: string, use: BenchUse, elsewhere = 0): boolean {
    const sessions = sessionsOf(owner, use) + elsewhere;
    return sessions < this.#limit(owner, 'sessions') && this.#minutesLeft(owner) > 0;
  }

  mayTake(owner: string, use: BenchUse): boolean {
    return this.hasRoom(owner, use) && hasIdleNode(owner, this.slots(use), use);
  }

  sessionLimitMs(fpgaId: number, owner: string): number {
    const { ledger, clock } = this.#options;
    const now = clock.now();
    const session = ledger.sessionOn(fpgaId);
    const since = session?.owner === owner ? session.since : now;
    const yielding = this.#yielding.get(fpgaId);
    return Math.max(
      0,
      Math.min(
        since + this.#limit(owner, 'session_minutes') * MINUTE_MS - now,
        (this.#minutesLeft(owner) * MINUTE_MS) / Math.max(1, ledger.sessionsOf(owner)),
        yielding?.owner === owner ? yielding.end - now : Number.POSITIVE_INFINITY,
      ),
    );
  }

  order(jobs: readonly StoredUnplacedJob[]): StoredUnplacedJob[] {
    return lineOf(jobs, (owner) => {
      const [best] = [...this.#memberships(owner)].sort((a, b) => b.course.priority - a.course.priority);
      if (!best) return { group: null, priority: 0, minutes: 0 };
      const { course_id: group, priority, time_zone: zone } = best.course;
      return { group, priority, minutes: this.#options.occupancy.minutesToday(owner, zone) };
    });
  }

  sessionChanged(fpgaId: number, owner: string | null, user = owner): void {
    const isMember = (one: string) => this.#memberships(one).length > 0;
    this.#options.ledger.change(fpgaId, owner, isMember);
    this.#options.occupancy.change(fpgaId, user, isMember);
    if (this.#yielding.get(fpgaId)?.owner !== owner) this.#yielding.delete(fpgaId);
  }

  /** Minutes without an access after which a user’s session is given back while others wait. */
  idleMinutes(owner: string): number {
    return this.#limit(owner, 'idle_minutes');
  }

  /** What a user has used. */
  usageOf(owner: string, timeZone: string, use: BenchUse): ShareUse {
    return {
      sessions: sessionsOf(owner, use),
      day_minutes: Math.round(this.#options.ledger.minutesToday(owner, timeZone) * 10) / 10,
      queued_jobs: use.waiting.filter((one) => one === owner).length,
    };
  }

  /** Nodes that a course has booked now. */
  bookedNow(course: StoredCourse): number {
    return bookedNodes(course, this.#options.clock.now());
  }

  /** The courses that are in a booked slot now. */
  slots(use: BenchUse): BookedSlot[] {
    return slotsAt(this.#options.open(), use, this.#options.clock.now());
  }

  /** A session makes room for a booking: no access lengthens it. */
  yield(fpgaId: number, owner: string, ms: number): void {
    this.#yielding.set(fpgaId, { owner, end: this.#options.clock.now() + ms });
  }

  /** Whether a session makes room already. */
  isYielding(fpgaId: number): boolean {
    return this.#yielding.has(fpgaId);
  }

  #limit(owner: string, limit: Limit): number {
    return limitOf(this.#memberships(owner), limit);
  }

  /** Minutes that are left today, infinite without a limit: of several courses the most generous counts. */
  #minutesLeft(owner: string): number {
    const left = this.#memberships(owner).map(
      (one) => limitOf([one], 'day_minutes') - this.#options.ledger.minutesToday(owner, one.course.time_zone),
    );
    return left.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...left);
  }

  #memberships(owner: string): readonly Membership[] {
    const open = this.#options.open();
    const same =
      this.#known?.open.length === open.length &&
      open.every((course, at) => course === this.#known?.open[at]);
    if (!this.#known || !same) this.#known = { open, memberships: membershipsOf(open) };
    return this.#known.memberships.get(owner) ?? [];
  }
}

/** Nodes that a user holds or builds for. */
const sessionsOf = (owner: string, { nodes }: BenchUse): number =>
  nodes.filter(({ holder }) => holder === owner).length;
