import type { Shares } from '../../../server/contract/courses/shares.ts';
import type { StoredCourse, StoredMember } from '../../../server/courses/records.ts';
import { CourseShares } from '../../../server/courses/shares/course-shares.ts';
import { Ledger, NO_USE, type StoredUse } from '../../../server/courses/shares/ledger.ts';
import type { BenchUse, NodeUse } from '../../../server/jobs/share-policy.ts';
import type { StoredDocument } from '../../../server/store/document.ts';
import type { StoredUnplacedJob } from '../../../server/store/index.ts';
import { FakeClock } from '../fake-clock.ts';

export const student = (username: string, shares: Shares | null = null): StoredMember => ({
  username,
  name: `Name of ${username}`,
  role: 'student',
  email: null,
  hand: null,
  shares,
  own_key: false,
  left: false,
});

export const course = (
  id: string,
  members: StoredMember[],
  change: Partial<StoredCourse> = {},
): StoredCourse => ({
  course_id: id,
  name: id,
  time_zone: 'Europe/Berlin',
  ends_on: null,
  group: null,
  shares: {},
  priority: 0,
  bookings: [],
  code: null,
  next_number: 1,
  keys_revoked: false,
  created_at: '2026-07-07T08:00:00.000Z',
  members,
  ...change,
});

/** A document in memory. */
function memoryDocument<T>(value: T): StoredDocument<T> {
  return {
    value,
    damaged: false,
    async setAside() {},
    async write(next) {
      (this as { value: T }).value = next;
    },
    writeSoon(next) {
      (this as { value: T }).value = next;
    },
  };
}

/**
 * A bench of ten nodes that applies the shares as the pool does; a session lasts until its end or the end of its share.
 */
export class ShareModel {
  readonly clock: FakeClock;
  readonly document: StoredDocument<StoredUse> = memoryDocument(NO_USE);
  readonly ledger: Ledger;
  readonly shares: CourseShares;
  readonly holders: (string | null)[] = Array(10).fill(null);
  waiting: StoredUnplacedJob[] = [];
  /** Owners in the order in which they got nodes. */
  readonly served: string[] = [];
  #seq = 0;

  constructor(
    public courses: StoredCourse[],
    start = '2026-07-07T08:00:00Z',
  ) {
    this.clock = new FakeClock(Date.parse(start));
    this.ledger = new Ledger(this.document, this.clock);
    this.shares = new CourseShares(() => this.courses, this.ledger, this.clock);
  }

  get use(): BenchUse {
    const nodes = this.holders.map((holder, fpgaId): NodeUse => ({ fpgaId, holder, free: holder === null }));
    return { nodes, waiting: this.waiting.map(({ job }) => job.owner) };
  }

  /** @throws share_used_up. */
  submit(owner: string): void {
    this.shares.requireSubmit(owner, 'line', this.use);
    const seq = ++this.#seq;
    const job = { job_id: `job ${seq}`, owner, status: 'queued' } as StoredUnplacedJob['job'];
    this.waiting.push({ job, seq });
  }

  /** As Placement does. @param begins called for each node that gets a job @param builds its session begins later */
  consider(begins: (fpgaId: number, owner: string) => void = () => {}, builds = false): void {
    for (const stored of this.shares.order(this.waiting)) {
      const { owner } = stored.job;
      const fpgaId = this.holders.indexOf(null);
      if (fpgaId < 0 || !this.shares.mayTake(owner, this.use)) continue;
      this.waiting = this.waiting.filter((one) => one !== stored);
      this.holders[fpgaId] = owner;
      this.served.push(owner);
      this.shares.sessionChanged(fpgaId, builds ? null : owner, owner);
      begins(fpgaId, owner);
    }
  }

  end(fpgaId: number): void {
    this.holders[fpgaId] = null;
    this.shares.sessionChanged(fpgaId, null);
  }
}
