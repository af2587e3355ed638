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
  const standings = new Map<string, Standing>();
  const rounds = new Map<string, number>();
  const entries = [...jobs]
    .sort((a, b) => a.seq - b.seq)
    .map((stored) => {
      const { owner } = stored.job;
      const standing = standings.get(owner) ?? standingOf(owner);
      standings.set(owner, standing);
      const round = rounds.get(owner) ?? 0;
      rounds.set(owner, round + 1);
      return { stored, standing, round };
    })
    .sort((a, b) => b.standing.priority - a.standing.priority || a.stored.seq - b.stored.seq);
  const groups = new Map<string, typeof entries>();
  for (const entry of entries) {
    const { group } = entry.standing;
    if (group !== null) groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  for (const group of groups.values())
    group.sort(
      (a, b) => a.round - b.round || a.standing.minutes - b.standing.minutes || a.stored.seq - b.stored.seq,
    );
  return entries.map((entry) => {
    const { group } = entry.standing;
    const next = group === null ? entry : (groups.get(group)?.shift() ?? entry);
    return next.stored;
  });
}
