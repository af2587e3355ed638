import type { Failure } from '../contract/diagnostics.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import { timeLeft } from '../nodes/session.ts';
import type { BenchData, StoredJob, StoredNode } from '../store/index.ts';
import { failureOf } from './end.ts';
import type { Retention } from './retention.ts';
import type { Services } from './services.ts';

/** What a node finds to do when the service starts, beside its jobs. */
export interface NodeStart {
  /** The board has to be given the session's design again. */
  restore: boolean;
  /** The service itself has to reset the node, and why. */
  reset: string | null;
}

/** What is to be done at a start. */
interface Recovery {
  nodes: { record: StoredNode; start: NodeStart }[];
  /** Jobs that wait on. */
  queued: StoredJob[];
  /** Jobs that had begun: they are failed now. */
  interrupted: StoredJob[];
  /** Jobs that had ended and had not come into their history. */
  ended: StoredJob[];
}

const byAge = (a: StoredJob, b: StoredJob) => a.seq - b.seq;

/** Why jobs that had begun have failed, and nodes are in error, when the service was ended or died. */
const stoppedFailure = (): Failure => failureOf(jobsError('service_stopped'));

/**
 * Puts what was on disk into a consistent state: queued jobs still run, jobs that had begun are failed,
 * reserved nodes keep their session, and a board that was being programmed is reset. Pure: decides, and leaves
 * the doing to its caller.
 */
function recover(
  bench: BenchData,
  histories: { archived: ReadonlySet<string>; hasBegun: (stored: StoredJob) => boolean },
  now: number,
): Recovery {
  // The beginning and the end of a job reach its history first, so the history knows better.
  const jobs = [...bench.jobs.values()].filter(({ job }) => !histories.archived.has(job.job_id)).sort(byAge);
  const interrupted: StoredJob[] = [];
  const ended: StoredJob[] = [];
  const queued: StoredJob[] = [];
  for (const stored of jobs) {
    const { status } = stored.job;
    if (status === 'queued' && !histories.hasBegun(stored)) queued.push(stored);
    else if (status === 'queued' || status === 'running') interrupted.push(failed(stored, now));
    else ended.push(stored);
  }
  const nodes = bench.nodes.map((node) => {
    const ofNode = ({ job }: StoredJob) => job.fpga_id === node.fpga_id;
    const wasReset = interrupted.some((stored) => ofNode(stored) && stored.job.type === 'reset');
    const builds = queued.some((stored) => ofNode(stored) && stored.job.type === 'build_and_program');
    return recoverNode(node, builds, wasReset, now);
  });
  return { nodes, queued, interrupted, ended };
}

function failed(stored: StoredJob, now: number): StoredJob {
  const { fraction: _fraction, ...job } = stored.job;
  const { data: _data, ...rest } = stored;
  return {
    ...rest,
    job: { ...job, status: 'failed', updated_at: new Date(now).toISOString(), failure: stoppedFailure() },
  };
}

function recoverNode(
  node: StoredNode,
  builds: boolean,
  wasReset: boolean,
  now: number,
): Recovery['nodes'][number] {
  const start: NodeStart = { restore: false, reset: null };
  const broken = (event: 'program_failed' | 'reset_failed'): Recovery['nodes'][number] => ({
    record: {
      ...node,
      state: advance(node.state, event),
      error: stoppedFailure(),
      session: null,
      design: null,
    },
    start: { ...start, reset: 'the service stopped while the board was being programmed' },
  });
  switch (node.state) {
    case 'idle':
      return { record: node, start };
    case 'queued':
      // Without its job, which only damage can have taken, it would wait for ever.
      if (builds) return { record: node, start };
      return { record: { ...node, state: advance('queued', 'cancel') }, start };
    case 'building':
      return { record: { ...node, state: advance('building', 'build_failed') }, start };
    case 'programming':
      return broken('program_failed');
    case 'error':
      if (wasReset || node.error?.error === 'service_stopped') return broken('reset_failed');
      return expired(node, now)
        ? { record: { ...node, session: null }, start: { ...start, reset: 'its session has expired' } }
        : { record: node, start };
    case 'reserved':
      if (wasReset) return broken('reset_failed');
      if (node.session === null || expired(node, now))
        return { record: { ...node, session: null }, start: { ...start, reset: 'its session has expired' } };
      return { record: node, start: { ...start, restore: true } };
  }
}

const expired = ({ session }: StoredNode, now: number) => session !== null && timeLeft(session, now) <= 0;

/** Takes in what the store has and makes it consistent; resolves with what each node finds to do. */
export async function readBack(services: Services, retention: Retention): Promise<NodeStart[]> {
  const { store, jobs, logs, clock, logger } = services;
  const { bench } = store;
  const archived = new Set<string>();
  for (const stored of store.ended.flatMap((history) => [...history].sort(byAge))) {
    archived.add(stored.job.job_id);
    jobs.add(stored);
    bench.seq = Math.max(bench.seq, stored.seq);
    bench.jobs.delete(stored.job.job_id);
  }
  const hasBegun = ({ job }: StoredJob) => store.histories[job.fpga_id]?.hasBegun(job.job_id) ?? false;
  const { nodes, queued, interrupted, ended } = recover(bench, { archived, hasBegun }, clock.now());
  bench.nodes = nodes.map(({ record }) => record);
  const { message, remedy } = stoppedFailure();
  for (const stored of interrupted) {
    const { fpga_id: fpgaId, job_id: jobId, stage = 'queue', started_at: began, type } = stored.job;
    const log = await logs.reopen(fpgaId, jobId);
    log.start(began ? Date.parse(began) : clock.now());
    log.lastLine(stage, `error: ${message}`);
    log.lastLine(stage, `note: ${remedy}`);
    await logs.close(jobId);
    const facts = { fpga_id: fpgaId, job_id: jobId, type };
    logger.warn(facts, 'A job was running when the service ended; it has failed.');
  }
  for (const stored of [...interrupted, ...ended]) bench.jobs.set(stored.job.job_id, stored);
  for (const stored of [...interrupted, ...ended, ...queued]) jobs.add(stored);
  await store.commit().catch(() => {});
  for (const stored of [...interrupted, ...ended]) void jobs.archive(stored).catch(() => {});
  // What was set aside may still be mended by hand, and its files are wanted then.
  if (store.notices.length === 0) retention.sweep();
  return nodes.map(({ start }) => start);
}
