import type { StoredUnplacedJob } from '../../store/index.ts';

/** The part that decides where a job stands in line. */
export interface Standing {
  /** The course whose members share their places; null for a user without one. */
  group: string | null;
  priority: number;
  /** Of the owner on nodes today, builds included. */
  minutes: number;
}

/**
 * The line: higher priority first, then the order of acceptance. Members of one course share the places that their jobs
 * have: first the member who has had nodes for the fewest minutes today, and nobody’s second job before the first job of
 * another.
 */
export function lineOf(
  jobs: readonly StoredUnplacedJob[],
  standingOf: (owner: string) => Standing,
): StoredUnplacedJob[] {
  const bySeq = (a: StoredUnplacedJob, b: StoredUnplacedJob) => a.seq - b.seq;
  const rounds = new Map<string, number>();
  const places = [...jobs]
    .sort(bySeq)
    .map((stored) => {
      const { owner } = stored.job;
      const round = (rounds.get(owner) ?? 0) + 1;
      rounds.set(owner, round);
      return { stored, round, ...standingOf(owner) };
    })
    .sort((a, b) => b.priority - a.priority || bySeq(a.stored, b.stored));
  const fair = [...places].sort(
    (a, b) => a.round - b.round || a.minutes - b.minutes || bySeq(a.stored, b.stored),
  );
  return places.map((place) => {
    if (place.group === null) return place.stored;
    const next = fair.findIndex(({ group }) => group === place.group);
    return (fair.splice(next, 1)[0] ?? place).stored;
  });
}
