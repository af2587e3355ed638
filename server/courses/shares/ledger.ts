import Type, { type Static } from 'typebox';
import type { Clock } from '../../clock.ts';
import { checkOf } from '../../contract/check.ts';
import type { StoredDocument } from '../../store/document.ts';
import { startOfDay } from '../../wall-clock.ts';

/** Ended sessions are stored for so long: a day everywhere on earth. */
const STORED_MS = 50 * 3_600_000;
const MINUTE_MS = 60_000;

const Milliseconds = Type.Number({ description: 'Since the epoch.' });

const StoredUse = Type.Object({
  /** When it was stored. */
  at: Milliseconds,
  /** Present sessions. */
  open: Type.Array(Type.Object({ fpga_id: Type.Integer(), owner: Type.String(), since: Milliseconds })),
  /** Ended sessions of members. */
  ended: Type.Array(Type.Object({ owner: Type.String(), from: Milliseconds, to: Milliseconds })),
});
export type StoredUse = Static<typeof StoredUse>;
/** The documents `course-use` and `course-occupancy`. */
export const isStoredUse = checkOf(StoredUse);
export const NO_USE: StoredUse = { at: 0, open: [], ended: [] };

/** Who had nodes, and how long. */
export class Ledger {
  readonly #document: StoredDocument<StoredUse>;
  readonly #clock: Clock;
  readonly #open = new Map<number, { owner: string; since: number }>();
  readonly #ended = new Map<string, { from: number; to: number }[]>();
  /** The last midnight by time zone, asked once a minute: it takes longer than the rest of an answer. */
  readonly #midnights = new Map<string, { minute: number; midnight: number }>();

  constructor(document: StoredDocument<StoredUse>, clock: Clock) {
    this.#document = document;
    this.#clock = clock;
    const { at, open, ended } = document.value;
    // Nobody used a node while the service was away.
    const away = Math.max(0, clock.now() - at);
    for (const { fpga_id, owner, since } of open) this.#open.set(fpga_id, { owner, since: since + away });
    for (const { owner, from, to } of ended) this.#note(owner, from, to);
  }

  /** The present session of a node. A replacement by the same owner continues it. */
  sessionOn(fpgaId: number): { owner: string; since: number } | undefined {
    return this.#open.get(fpgaId);
  }

  /** Number of nodes that an owner holds. */
  sessionsOf(owner: string): number {
    return [...this.#open.values()].filter((one) => one.owner === owner).length;
  }

  /** A session began or ended. @param isMember whether an owner’s time is stored */
  change(fpgaId: number, owner: string | null, isMember: (owner: string) => boolean): void {
    const before = this.#open.get(fpgaId);
    if (before?.owner === owner || (!before && owner === null)) return;
    const now = this.#clock.now();
    // A clock that was set back has no minutes to add.
    if (before && isMember(before.owner) && now > before.since) this.#note(before.owner, before.since, now);
    if (owner === null) this.#open.delete(fpgaId);
    else this.#open.set(fpgaId, { owner, since: now });
    this.save();
  }

  /** Minutes of an owner since midnight, its present sessions included. */
  minutesToday(owner: string, timeZone: string): number {
    const now = this.#clock.now();
    const midnight = this.#midnight(timeZone, now);
    let ms = 0;
    for (const { from, to } of this.#ended.get(owner) ?? []) ms += Math.max(0, to - Math.max(from, midnight));
    for (const one of this.#open.values())
      if (one.owner === owner) ms += Math.max(0, now - Math.max(one.since, midnight));
    return ms / 60_000;
  }

  /** Removes what is stored of a user. */
  erase(owner: string): void {
    if (this.#ended.delete(owner)) this.save();
  }

  /** Stores the ledger soon; drops what no day needs any more. */
  save(): void {
    const oldest = this.#clock.now() - STORED_MS;
    for (const [owner, all] of this.#ended) {
      const recent = all.filter(({ to }) => to > oldest);
      if (recent.length > 0) this.#ended.set(owner, recent);
      else this.#ended.delete(owner);
    }
    this.#document.writeSoon({
      at: this.#clock.now(),
      open: [...this.#open].map(([fpga_id, one]) => ({ fpga_id, ...one })),
      ended: [...this.#ended].flatMap(([owner, all]) => all.map((one) => ({ owner, ...one }))),
    });
  }

  #midnight(timeZone: string, now: number): number {
    const known = this.#midnights.get(timeZone);
    const minute = Math.floor(now / MINUTE_MS);
    if (known?.minute === minute) return known.midnight;
    const midnight = startOfDay(timeZone, now);
    this.#midnights.set(timeZone, { minute, midnight });
    return midnight;
  }

  #note(owner: string, from: number, to: number): void {
    this.#ended.set(owner, [...(this.#ended.get(owner) ?? []), { from, to }]);
  }
}
