import type { Clock } from '../clock.ts';
import { parseAs } from '../contract/check.ts';
import type { Failure } from '../contract/diagnostics.ts';
import { hasEnded } from '../contract/jobs/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import { resumed, timeLeft } from '../nodes/session.ts';
import {
  type BenchData,
  isStoredUnplacedJob,
  type Store,
  type StoredJob,
  type StoredNode,
} from '../store/index.ts';
import { type Cause, describeActivity } from './activity.ts';
import { causeOf, failureOf, recordOf } from './execution/end.ts';
import { canResume, continueLog } from './execution/resume.ts';
import { rebuiltJob } from './rebuild.ts';
import type { Retention } from './retention.ts';
import type { Services } from './services.ts';
import { timestamp } from './shared.ts';

/** A node after recovery, and what it must do when the service starts, besides its jobs. */
export interface RecoveredNode {
  record: StoredNode;
  /** The board needs the session's design again. */
  restore?: boolean;
  /** Why the service must reset the node. */
  reset?: string;
  /** For the activity log. */
  cause?: Cause;
}

const byAge = (a: StoredJob, b: StoredJob) => a.seq - b.seq;

/** The failure of begun jobs and of nodes in error after the service stopped or died. */
const stoppedFailure = (): Failure => failureOf(jobsError('service_stopped'));

/**
 * Makes the stored state consistent. Queued jobs still run and farm builds continue; other jobs that had begun fail.
 * Reserved nodes keep their session, and a board in programming is reset. Pure: it only decides.
 */
export function recover(
  bench: BenchData,
  histories: { archived: ReadonlySet<string>; hasBegun: (stored: StoredJob) => boolean },
  hasFarm: boolean,
  clock: Clock,
) {
  // The history gets the beginning and the end of a job first, so it takes precedence.
  const jobs = [...bench.jobs.values()].filter(({ job }) => !histories.archived.has(job.job_id)).sort(byAge);
  const failed = (stored: StoredJob, failure = stoppedFailure()) =>
    recordOf(stored, { status: 'failed', failure }, timestamp(clock));
  /** Jobs that had begun: they fail. */
  const interrupted: StoredJob[] = [];
  /** Jobs that had ended and are not in their history yet. */
  const ended: StoredJob[] = [];
  /** Jobs that still wait. */
  const queued: StoredJob[] = [];
  /** Builds that workers continued. */
  const resumed: StoredJob[] = [];
  for (const stored of jobs) {
    const { status } = stored.job;
    if (status === 'queued' && !histories.hasBegun(stored)) queued.push(stored);
    else if (hasFarm && canResume(stored, bench.nodes[stored.job.fpga_id] as StoredNode))
      resumed.push(stored);
    else if (status === 'queued' || status === 'running') interrupted.push(failed(stored));
    else ended.push(stored);
  }
  const nodes = bench.nodes.map((node) => {
    const ofNode = ({ job }: StoredJob) => job.fpga_id === node.fpga_id;
    const reset = interrupted.find((stored) => ofNode(stored) && stored.job.type === 'reset') ?? null;
    const builds = queued.some(
      (stored) => ofNode(stored) && stored.job.type === 'build_and_program' && !stored.job.replaces,
    );
    const building = resumed.some((stored) => ofNode(stored) && !stored.job.replaces);
    return recoverNode(node, { builds, building, reset }, clock);
  });
  // A replacement for a session that is over has nothing to wait for.
  const waits = ({ job }: StoredJob) => !job.replaces || nodes[job.fpga_id]?.record.session !== null;
  const late = [...queued, ...resumed].filter((stored) => !waits(stored));
  interrupted.push(...late.map((stored) => failed(stored, failureOf(jobsError('session_ended')))));
  return { nodes, queued: queued.filter(waits), resumed: resumed.filter(waits), interrupted, ended };
}

function recoverNode(
  node: StoredNode,
  { builds, building, reset }: { builds: boolean; building: boolean; reset: StoredJob | null },
  clock: Clock,
): RecoveredNode {
  const { session, lease } = node;
  const left = session && lease ? timeLeft(lease, clock) : 0;
  const ended: StoredNode = { ...node, session: null, lease: null };
  const goesOn: StoredNode = session ? { ...node, ...resumed(session, left, clock) } : node;
  const expired: RecoveredNode = {
    record: ended,
    reset: 'its session has expired',
    cause: { kind: 'expired', by: null, jobId: null },
  };
  const broken = (event: 'program_failed' | 'reset_failed'): RecoveredNode => ({
    record: { ...ended, state: advance(node.state, event), error: stoppedFailure(), design: null },
    reset: 'the service stopped while the board was being programmed',
    // A reset that had begun ends the holder's session, whatever happened to the board.
    cause: (reset && causeOf({ event }, reset, node)) ?? { kind: 'reset', by: null, jobId: null },
  });
  switch (node.state) {
    case 'idle':
      return { record: node };
    case 'queued':
      // Only damage can have removed its job; the node would wait for ever.
      return { record: builds ? node : { ...node, state: advance('queued', 'cancel') } };
    case 'building':
      return { record: building ? node : { ...node, state: advance('building', 'build_failed') } };
    case 'programming':
      return broken('program_failed');
    case 'error':
      if (reset || node.error?.error === 'service_stopped') return broken('reset_failed');
      return node.session !== null && left === 0 ? expired : { record: goesOn };
    case 'reserved':
      if (reset) return broken('reset_failed');
      return left === 0 ? expired : { record: goesOn, restore: true };
  }
}

/**
 * Finds folders of jobs without a record, which a damaged, cut or missing history leaves. Rebuilds their records and
 * adds a notice.
 */
async function rebuild(store: Store): Promise<StoredJob[]> {
  const { bench, histories, jobFiles } = store;
  // A damaged bench.json may have lost requests whose folder holds only the upload.
  const unfinished = store.notices.length > 0;
  const known = store.ended.flat();
  const found: StoredJob[] = [];
  for (const fpgaId of histories.keys()) {
    const ids = new Set(known.filter(({ job }) => job.fpga_id === fpgaId).map(({ job }) => job.job_id));
    const unknown = (await jobFiles.jobFolders(fpgaId)).filter(
      (id) => !ids.has(id) && !bench.jobs.has(id) && !bench.unplaced.has(id),
    );
    const jobs: Omit<StoredJob, 'seq'>[] = [];
    for (const jobId of unknown.filter((id) => JOB_ID.test(id))) {
      const job = await rebuiltJob(jobFiles, fpgaId, jobId, { unfinished }).catch(() => null);
      if (job) jobs.push(job);
    }
    if (jobs.length === 0) continue;
    const count = jobs.length === 1 ? 'one job was' : `${jobs.length} jobs were`;
    await store.noteDamage(
      `history/${fpgaId}.jsonl`,
      `has fewer jobs than the job folders; ${count} rebuilt from the folders, without facts that only the history had, such as the owner`,
    );
    jobs.sort((a, b) => a.job.updated_at.localeCompare(b.job.updated_at));
    for (const stored of jobs) found.push({ ...stored, seq: seqBefore(known, stored.job.created_at) });
  }
  return found;
}

const JOB_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The place of a job among those with a known order. */
const seqBefore = (known: readonly StoredJob[], created: string) =>
  known.reduce((seq, stored) => (stored.job.created_at <= created ? Math.max(seq, stored.seq) : seq), 0);

/**
 * Recovers jobs without a node that a damaged bench.json lost: each has its record next to its source. Without damage,
 * an unknown folder belongs to a job that was never accepted.
 */
async function rebuildUnplaced({ store, logger }: Services, archived: ReadonlySet<string>): Promise<void> {
  if (store.notices.length === 0) return;
  const { bench, jobFiles } = store;
  for (const jobId of (await jobFiles.jobFolders(null)).filter((id) => JOB_ID.test(id))) {
    if (bench.unplaced.has(jobId) || bench.jobs.has(jobId) || archived.has(jobId)) continue;
    const text = await jobFiles.read(null, jobId, 'request').catch(() => null);
    const stored = text && parseAs(text.toString('utf8'), isStoredUnplacedJob);
    if (!stored || stored.job.job_id !== jobId) continue;
    if ((await jobFiles.read(null, jobId, 'source').catch(() => null)) === null) continue;
    bench.unplaced.set(jobId, stored);
    bench.seq = Math.max(bench.seq, stored.seq);
    logger.warn({ job_id: jobId }, 'A job that waits for a node was recovered from its folder.');
  }
}

/** Loads the jobs without a node, and removes copies that nodes made of them when the service died. */
async function readUnplaced(services: Services, archived: ReadonlySet<string>): Promise<void> {
  await rebuildUnplaced(services, archived);
  const { store, jobs } = services;
  const { bench, jobFiles, histories } = store;
  for (const [jobId, stored] of [...bench.unplaced].sort(([, a], [, b]) => a.seq - b.seq)) {
    // Only damage leaves both; the node's record is the later one.
    if (archived.has(jobId) || bench.jobs.has(jobId)) {
      bench.unplaced.delete(jobId);
      continue;
    }
    jobs.unplaced.set(jobId, stored);
    if (hasEnded(stored.job.status)) continue;
    jobFiles.sizes.set(jobId, await jobFiles.bytesOf(null, jobId).catch(() => stored.job.submit.size));
  }
  if (bench.unplaced.size === 0) return;
  for (const fpgaId of histories.keys())
    for (const jobId of await jobFiles.jobFolders(fpgaId))
      if (bench.unplaced.has(jobId)) {
        const size = jobFiles.sizes.of(jobId);
        await jobFiles.removeJob(fpgaId, jobId).catch(() => {});
        jobFiles.sizes.set(jobId, size);
      }
}

/** Runs that a history line accepted and that have not ended were running, except those known to have ended. */
function takeAccepted({ bench, histories }: Store, ended: readonly StoredJob[]): void {
  const known = new Set([...bench.jobs.keys(), ...ended.map(({ job }) => job.job_id)]);
  for (const stored of histories.flatMap(({ accepted }) => accepted)) {
    if (!known.has(stored.job.job_id)) bench.jobs.set(stored.job.job_id, stored);
    bench.seq = Math.max(bench.seq, stored.seq);
  }
}

/** Loads the store and makes it consistent; resolves with what each node must do. */
export async function readBack(services: Services, retention: Retention): Promise<RecoveredNode[]> {
  const { store, jobs, logs, clock, logger, activity } = services;
  const { bench } = store;
  // The folder knows more of a job whose end was on a damaged line.
  const damaged = store.notices.some(({ file }) => file.startsWith('history/'));
  if (!damaged) takeAccepted(store, []);
  const rebuilt = await rebuild(store);
  if (damaged) takeAccepted(store, rebuilt);
  const archived = new Set<string>();
  const unmeasured: StoredJob[] = [];
  const known = [...store.ended.flat(), ...rebuilt].sort(byAge);
  for (const stored of known) {
    const { job_id: jobId } = stored.job;
    archived.add(jobId);
    jobs.add(stored);
    bench.seq = Math.max(bench.seq, stored.seq);
    bench.jobs.delete(jobId);
    if (stored.bytes === undefined) unmeasured.push(stored);
    else store.jobFiles.sizes.set(jobId, stored.bytes);
  }
  const hasBegun = ({ job }: StoredJob) => Boolean(store.histories[job.fpga_id]?.hasBegun(job.job_id));
  await readUnplaced(services, archived);
  const hasFarm = services.toolchain.farm !== undefined;
  const found = recover(bench, { archived, hasBegun }, hasFarm, clock);
  const { nodes, queued, resumed, interrupted, ended } = found;
  const happened = nodes.flatMap(({ record, cause }) => {
    const before = bench.nodes[record.fpga_id] as StoredNode;
    const told = cause && describeActivity(before, cause, { job: undefined, design: null, transactions: 0 });
    return told ? [activity.stage(told)] : [];
  });
  bench.nodes = nodes.map(({ record }) => record);
  for (const stored of interrupted) {
    const { message, remedy } = stored.job.failure as Failure;
    const { fpga_id: fpgaId, job_id: jobId, stage = 'queue', started_at: began, type } = stored.job;
    const log = await logs.reopen(fpgaId, jobId);
    log.start(began ? Math.max(0, clock.now() - Date.parse(began)) : 0);
    log.lastLine(stage, `error: ${message}`);
    log.lastLine(stage, `note: ${remedy}`);
    await logs.close(jobId);
    const facts = { fpga_id: fpgaId, job_id: jobId, type };
    logger.warn(facts, 'A job was running when the service ended; it has failed.');
  }
  for (const stored of [...resumed, ...queued]) await continueLog(services, stored);
  for (const stored of [...interrupted, ...ended]) bench.jobs.set(stored.job.job_id, stored);
  for (const stored of [...interrupted, ...ended, ...queued, ...resumed]) jobs.add(stored);
  await store.commit().catch(() => {});
  for (const activityEntry of happened) activityEntry.show();
  for (const stored of [...rebuilt, ...interrupted, ...ended]) void jobs.archive(stored).catch(() => {});
  retention.measure([...unmeasured, ...interrupted, ...ended, ...queued, ...resumed]);
  // An operator may repair files that were set aside, and then needs the files of those jobs.
  if (store.notices.length === 0) retention.sweep();
  return nodes;
}
