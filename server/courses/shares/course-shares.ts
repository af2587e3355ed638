import type { Clock } from '../../clock.ts';
import type { Shares, ShareUse } from '../../contract/courses/shares.ts';
import { coursesError } from '../../errors/courses.ts';
import type { BenchUse, SharePolicy, SubmitTarget } from '../../jobs/share-policy.ts';
import type { StoredUnplacedJob } from '../../store/index.ts';
import { membershipOf, type StoredCourse, type StoredMember } from '../records.ts';
import { type BookedSlot, hasIdleNode, slotsAt } from './bookings.ts';
import type { Ledger } from './ledger.ts';
import { lineOf } from './line.ts';

const MINUTE_MS = 60_000;

/** A membership of a user in a course whose term is not over. */
interface Membership {
  course: StoredCourse;
  member: StoredMember;
}

/** A limit in one course: the member’s own, else the course’s. Teachers have none. */
const limitIn = ({ course, member }: Membership, limit: keyof Shares): number =>
  member.role === 'teacher'
    ? Number.POSITIVE_INFINITY
    : ({ ...course.shares, ...member.shares }[limit] ?? Number.POSITIVE_INFINITY);

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
      const most = this.limit(owner, 'queued_jobs');
      if (use.waiting.filter((one) => one === owner).length >= most)
        refuse(
          `You have ${most} waiting jobs, which is your share.`,
          'Cancel one, or wait until one has a node.',
        );
      return;
    }
    if (!this.hasRoom(owner, use)) {
      const most = this.limit(owner, 'sessions');
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
    return sessions < this.limit(owner, 'sessions') && this.#minutesLeft(owner) > 0;
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
        since + this.limit(owner, 'session_minutes') * MINUTE_MS - now,
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

  /** A user’s limit, infinite where there is none: of several courses the most generous counts. */
  limit(owner: string, limit: keyof Shares): number {
    return this.#most(owner, (one) => limitIn(one, limit));
  }

  /** What a user has used. */
  usageOf(owner: string, timeZone: string, use: BenchUse): ShareUse {
    return {
      sessions: sessionsOf(owner, use),
      day_minutes: Math.round(this.#options.ledger.minutesToday(owner, timeZone) * 10) / 10,
      queued_jobs: use.waiting.filter((one) => one === owner).length,
    };
  }

  /** The present session of a node. */
  sessionOn(fpgaId: number): { owner: string; since: number } | undefined {
    return this.#options.ledger.sessionOn(fpgaId);
  }

  /** Stores what was used soon. */
  save(): void {
    for (const ledger of this.#ledgers) ledger.save();
  }

  /** Removes what is stored of a user. */
  erase(owner: string): void {
    for (const ledger of this.#ledgers) ledger.erase(owner);
  }

  get #ledgers(): Ledger[] {
    return [this.#options.ledger, this.#options.occupancy];
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

  /** Minutes that are left today, infinite without a limit. */
  #minutesLeft(owner: string): number {
    return this.#most(
      owner,
      (one) => limitIn(one, 'day_minutes') - this.#options.ledger.minutesToday(owner, one.course.time_zone),
    );
  }

  /** A figure of a user in the course where it is largest; infinite without a course. */
  #most(owner: string, figureOf: (one: Membership) => number): number {
    const figures = this.#memberships(owner).map(figureOf);
    return figures.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...figures);
  }

  #memberships(owner: string): Membership[] {
    return this.#options.open().flatMap((course) => {
      const member = membershipOf(course, owner);
      return member ? [{ course, member }] : [];
    });
  }
}

/** Nodes that a user holds or builds for. */
const sessionsOf = (owner: string, { nodes }: BenchUse): number =>
  nodes.filter(({ holder }) => holder === owner).length;
