import type { Failure } from '../contract/diagnostics.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import { timeLeft } from '../nodes/session.ts';
import type { BenchData, StoredJob, StoredNode } from '../store/index.ts';
import type { NodeStart } from './node-actor.ts';

/** What a node needs at start, beside what was done to its record already. */
export interface Recovery {
  nodes: { record: StoredNode; start: NodeStart }[];
  /** Jobs that had begun: they are failed now. */
  interrupted: StoredJob[];
  /** Jobs that had ended and had not come into their history. */
  ended: StoredJob[];
}

const byAge = (a: StoredJob, b: StoredJob) => a.seq - b.seq;

/** Why jobs that had begun have failed, and nodes are in error, when the service was ended or died. */
export const stoppedFailure = (): Failure => {
  const { code, message, remedy } = jobsError('service_stopped');
  return { error: code, message, remedy };
};

/**
 * Puts what was on disk into a consistent state: queued jobs still run, jobs that had begun are failed,
 * reserved nodes keep their session, and a board that was being programmed is reset. Pure: decides, and leaves
 * the doing to its caller.
 */
export function recover(
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
    return recoverNode(node, queued.filter(ofNode), wasReset, now);
  });
  return { nodes, interrupted, ended };
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
  waiting: StoredJob[],
  wasReset: boolean,
  now: number,
): Recovery['nodes'][number] {
  const start: NodeStart = { waiting, restore: false, reset: null };
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
      if (waiting.some(({ job }) => job.type === 'build_and_program')) return { record: node, start };
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
