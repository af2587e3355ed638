import type { AnyJob, Stage } from '../jobs/jobs.ts';
import type { NodeView } from '../nodes/nodes.ts';
import type { MemberView } from './courses.ts';
import { byName } from './results.ts';

/** A build that runs longer needs a look, ms. */
const SLOW_BUILD_MS = 5 * 60_000;
/** A failed build is a reason to look for so long, ms; after it the member has probably left. */
const FAILED_BUILD_MS = 30 * 60_000;
/** Without an access for so long, a member does nothing, ms. */
const IDLE_MS = 2 * 60_000;

/** What a member does now. Times are ms since 1970. */
export type WallState =
  | { kind: 'stuck'; why: 'failed' | 'slow'; node: number | null; file: string; since: number }
  | { kind: 'waiting'; place: number | null; expectedWaitS: number | null; file: string; since: number }
  | { kind: 'building'; node: number; stage: Stage | null; file: string; since: number }
  /** `idleSince` is null while the member works. */
  | { kind: 'on'; node: number; file: string | null; idleSince: number | null }
  | { kind: 'away' };

/** A student on the wall. */
export interface WallEntry {
  member: MemberView;
  state: WallState;
}

/** The order on the wall, after raised hands. */
const RANK: Record<WallState['kind'], number> = { stuck: 0, waiting: 1, building: 2, on: 3, away: 4 };

type WallNode = Pick<NodeView, 'fpga_id' | 'session' | 'design'>;

/** A job of which `expected_wait_s` is known where it waits. */
export type WallJob = AnyJob & { expected_wait_s?: number | null };

const newest = (jobs: readonly WallJob[]): WallJob | undefined =>
  jobs.reduce<WallJob | undefined>(
    (best, job) => (best === undefined || job.created_at > best.created_at ? job : best),
    undefined,
  );

function stateOf(
  member: MemberView,
  nodes: readonly WallNode[],
  jobs: readonly WallJob[],
  now: number,
): WallState {
  const build = newest(jobs.filter(({ type }) => type === 'build_and_program'));
  const file = build?.submit?.filename ?? '';
  if (build?.status === 'queued' || build?.status === 'running') {
    if (build.status === 'queued' || build.fpga_id === null) {
      const { place = null, expected_wait_s: expectedWaitS = null } = build;
      return { kind: 'waiting', place, expectedWaitS, file, since: Date.parse(build.created_at) };
    }
    const since = Date.parse(build.started_at as string);
    if (now - since > SLOW_BUILD_MS) return { kind: 'stuck', why: 'slow', node: build.fpga_id, file, since };
    return { kind: 'building', node: build.fpga_id, stage: build.stage ?? null, file, since };
  }
  const ended = build ? Date.parse(build.updated_at) : 0;
  const failed = build?.status === 'failed' && build.failure?.error !== 'stopped_by_user';
  if (failed && now - ended < FAILED_BUILD_MS)
    return { kind: 'stuck', why: 'failed', node: build.fpga_id, file, since: ended };
  const own = nodes.find(({ session }) => session?.owner === member.username);
  if (!own) return { kind: 'away' };
  const at = own.fpga_id;
  const last = Math.max(
    Date.parse(member.last_access_at ?? '') || 0,
    ...jobs.flatMap(({ fpga_id, updated_at }) => (fpga_id === at ? [Date.parse(updated_at)] : [])),
  );
  const idleSince = last > 0 && now - last > IDLE_MS ? last : null;
  return { kind: 'on', node: at, file: own.design?.filename ?? null, idleSince };
}

/**
 * The students of a course with what each does: raised hands first, the longest wait first; then who is stuck, waits,
 * builds, works and is away, each by name.
 * @param jobs of the bench, of any owner and order
 * @param now ms since 1970
 */
export function wallOf(
  members: readonly MemberView[],
  nodes: readonly WallNode[],
  jobs: Iterable<WallJob>,
  now: number,
): WallEntry[] {
  const byOwner = new Map<string, WallJob[]>(members.map(({ username }) => [username, []]));
  for (const job of jobs) byOwner.get(job.owner)?.push(job);
  const hand = ({ member }: WallEntry) => (member.hand ? Date.parse(member.hand.at) : Number.MAX_VALUE);
  return members
    .filter(({ role }) => role === 'student')
    .map((member) => ({
      member,
      state: stateOf(member, nodes, byOwner.get(member.username) as WallJob[], now),
    }))
    .sort(
      (a, b) => hand(a) - hand(b) || RANK[a.state.kind] - RANK[b.state.kind] || byName(a.member, b.member),
    );
}
