import type { Clock } from '../../clock.ts';
import type { Shares, ShareUse } from '../../contract/courses/shares.ts';
import { coursesError } from '../../errors/courses.ts';
import type { BenchUse, SharePolicy, SubmitTarget } from '../../jobs/share-policy.ts';
import type { StoredUnplacedJob } from '../../store/index.ts';
import { membershipOf, presentMembers, type StoredCourse, type StoredMember } from '../records.ts';
import { bookedNodes } from './bookings.ts';
import { type Hold, type Ledger, MINUTE_MS } from './ledger.ts';
import { lineOf } from './line.ts';

/** A membership of a user in a course whose term is not over. */
interface Membership {
  course: StoredCourse;
  member: StoredMember;
}

/** A course in a slot that it has booked. */
interface BookedSlot {
  members: ReadonlySet<string>;
  booked: number;
  /** Nodes that its members hold; it may be more than it booked. */
  held: number;
  /** Booked nodes that they do not hold. */
  missing: number;
}

/** A limit in one course: the member’s own, else the course’s. Teachers have none. */
const limitIn = ({ course, member }: Membership, limit: keyof Shares): number =>
  member.role === 'teacher'
    ? Number.POSITIVE_INFINITY
    : ({ ...course.shares, ...member.shares }[limit] ?? Number.POSITIVE_INFINITY);

/** The shares of courses as rules of the bench. Users of no course have no limits, except the bookings of others. */
export class CourseShares implements SharePolicy {
  readonly ledger: Ledger;
  /** Sessions that make room for a booking, with the moment at which each ends: no access lengthens them. */
  readonly yielding = new WeakMap<Hold, number>();
  readonly #clock: Clock;
  readonly #open: () => readonly StoredCourse[];

  /** @param open courses whose term is not over */
  constructor(open: () => readonly StoredCourse[], ledger: Ledger, clock: Clock) {
    this.ledger = ledger;
    this.#clock = clock;
    this.#open = open;
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
    if (!this.#hasIdleNode(owner, use)) throw coursesError('nodes_booked');
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
    return this.hasRoom(owner, use) && this.#hasIdleNode(owner, use);
  }

  sessionLimitMs(fpgaId: number, owner: string): number {
    const now = this.#clock.now();
    const own = this.ledger.sessions.filter((one) => one.owner === owner);
    const session = own.find(({ fpga_id }) => fpga_id === fpgaId);
    return Math.max(
      0,
      Math.min(
        (session?.from ?? now) + this.limit(owner, 'session_minutes') * MINUTE_MS - now,
        (this.#minutesLeft(owner) * MINUTE_MS) / Math.max(1, own.length),
        ((session && this.yielding.get(session)) ?? Number.POSITIVE_INFINITY) - now,
      ),
    );
  }

  order(jobs: readonly StoredUnplacedJob[]): StoredUnplacedJob[] {
    return lineOf(jobs, (owner) => {
      const [best] = [...this.#memberships(owner)].sort((a, b) => b.course.priority - a.course.priority);
      if (!best) return { group: null, priority: 0, minutes: 0 };
      const { course_id: group, priority, time_zone: zone } = best.course;
      return { group, priority, minutes: this.ledger.minutesToday(owner, zone, { builds: true }) };
    });
  }

  sessionChanged(fpgaId: number, owner: string | null, user = owner): void {
    const isMember = (one: string) => this.#memberships(one).length > 0;
    this.ledger.change(fpgaId, user, owner !== null, isMember);
  }

  /** A user’s limit, infinite where there is none: of several courses the most generous counts. */
  limit(owner: string, limit: keyof Shares): number {
    return this.#most(owner, (one) => limitIn(one, limit));
  }

  /** What a user has used. */
  usageOf(owner: string, timeZone: string, use: BenchUse): ShareUse {
    return {
      sessions: sessionsOf(owner, use),
      day_minutes: Math.round(this.ledger.minutesToday(owner, timeZone) * 10) / 10,
      queued_jobs: use.waiting.filter((one) => one === owner).length,
    };
  }

  /** The courses that are in a booked slot now. */
  slots({ nodes }: BenchUse): BookedSlot[] {
    return this.#open().flatMap((course) => {
      const booked = bookedNodes(course, this.#clock.now());
      if (booked === 0) return [];
      const members = new Set(presentMembers(course).map(({ username }) => username));
      const held = nodes.filter(({ holder }) => holder !== null && members.has(holder)).length;
      return [{ members, booked, held, missing: Math.max(0, booked - held) }];
    });
  }

  /** Whether an idle node is left for a user, after those that other courses have booked. */
  #hasIdleNode(owner: string, use: BenchUse): boolean {
    const others = this.slots(use).filter(({ members }) => !members.has(owner));
    const reserved = others.reduce((sum, { missing }) => sum + missing, 0);
    return use.nodes.filter(({ free }) => free).length > reserved;
  }

  /** Minutes that are left today, infinite without a limit. */
  #minutesLeft(owner: string): number {
    return this.#most(
      owner,
      (one) => limitIn(one, 'day_minutes') - this.ledger.minutesToday(owner, one.course.time_zone),
    );
  }

  /** A figure of a user in the course where it is largest; infinite without a course. */
  #most(owner: string, figureOf: (one: Membership) => number): number {
    const figures = this.#memberships(owner).map(figureOf);
    return figures.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...figures);
  }

  #memberships(owner: string): Membership[] {
    return this.#open().flatMap((course) => {
      const member = membershipOf(course, owner);
      return member ? [{ course, member }] : [];
    });
  }
}

/** Nodes that a user holds or builds for. */
const sessionsOf = (owner: string, { nodes }: BenchUse): number =>
  nodes.filter(({ holder }) => holder === owner).length;
