import Type, { type Static } from 'typebox';
import type { Clock } from '../../clock.ts';
import { checkOf } from '../../contract/check.ts';
import { nullable } from '../../contract/component.ts';
import { startOfDay } from '../../contract/wall-clock.ts';
import type { StoredDocument } from '../../store/document.ts';

/** What has ended is stored for so long: a day everywhere on earth. */
const STORED_MS = 50 * 3_600_000;
export const MINUTE_MS = 60_000;

const Milliseconds = Type.Number({ description: 'Since the epoch.' });

/** A time in which somebody had a node. */
const Hold = Type.Object({
  fpga_id: Type.Integer(),
  owner: Type.String(),
  /** A session; otherwise the builds before it. */
  session: Type.Boolean(),
  from: Milliseconds,
  /** Null while it lasts. */
  to: nullable(Milliseconds),
});
export type Hold = Static<typeof Hold>;

const StoredUse = Type.Object({
  /** When it was stored. */
  at: Milliseconds,
  /** The present ones, and those of members that have ended. */
  holds: Type.Array(Hold),
});
export type StoredUse = Static<typeof StoredUse>;
/** The document `course-times`. */
export const isStoredUse = checkOf(StoredUse);
export const NO_USE: StoredUse = { at: 0, holds: [] };

/** Who had nodes, and how long. */
export class Ledger {
  readonly #document: StoredDocument<StoredUse>;
  readonly #clock: Clock;
  #holds: readonly Hold[];

  constructor(document: StoredDocument<StoredUse>, clock: Clock) {
    this.#document = document;
    this.#clock = clock;
    const { at, holds } = document.value;
    // Nobody used a node while the service was away.
    const away = Math.max(0, clock.now() - at);
    this.#holds = holds.map((one) => (one.to === null ? { ...one, from: one.from + away } : one));
  }

  /** The present sessions. A replacement by the same owner continues its session. */
  get sessions(): Hold[] {
    return this.#holds.filter(({ session, to }) => session && to === null);
  }

  /**
   * A node has another user, or its session began or ended.
   * @param isMember whether an owner’s time is stored
   */
  change(fpgaId: number, owner: string | null, session: boolean, isMember: (owner: string) => boolean): void {
    const before = this.#holds.find(({ fpga_id, to }) => fpga_id === fpgaId && to === null);
    if (before ? before.owner === owner && before.session === session : owner === null) return;
    const now = this.#clock.now();
    const others = this.#holds.filter((one) => one !== before);
    // A clock that was set back has no minutes to add.
    const isCounted = before && isMember(before.owner) && now > before.from;
    const ended = isCounted ? [{ ...before, to: now }] : [];
    const begun = owner === null ? [] : [{ fpga_id: fpgaId, owner, session, from: now, to: null }];
    this.#store([...others, ...ended, ...begun]);
  }

  /** Minutes of an owner since midnight, the present ones included. @param builds also those of builds */
  minutesToday(owner: string, timeZone: string, { builds = false } = {}): number {
    const now = this.#clock.now();
    const midnight = startOfDay(timeZone, now);
    let ms = 0;
    for (const { owner: who, session, from, to } of this.#holds)
      if (who === owner && (session || builds)) ms += Math.max(0, (to ?? now) - Math.max(from, midnight));
    return ms / MINUTE_MS;
  }

  /** Removes what is stored of a user, except what the user has now. */
  erase(owner: string): void {
    this.#store(this.#holds.filter((one) => one.owner !== owner || one.to === null));
  }

  /** Stores the ledger soon; drops what no day needs any more. */
  save(): void {
    this.#store(this.#holds);
  }

  #store(holds: readonly Hold[]): void {
    const at = this.#clock.now();
    this.#holds = holds.filter(({ to }) => to === null || to > at - STORED_MS);
    this.#document.writeSoon({ at, holds: [...this.#holds] });
  }
}
