import type { Job } from '../contract/jobs.ts';
import { assertNever } from '../errors/bench-error.ts';
import { advance } from '../nodes/machine.ts';
import { createSession } from '../nodes/session.ts';
import type { StoredJob, StoredNode } from '../store/index.ts';
import { INLINE_WORDS } from './intake.ts';
import type { JobOutcome } from './job-context.ts';
import type { JobInHand } from './job-in-hand.ts';
import type { JobLine } from './job-line.ts';
import type { NodeRecord } from './node-record.ts';
import { type NodeServices, timestamp } from './node-services.ts';
import { wordsToBytes } from './words.ts';

export interface EndJobOptions {
  services: NodeServices;
  record: NodeRecord;
  line: JobLine;
  current: JobInHand;
  outcome: JobOutcome;
}

/**
 * Keeps the end of a job and what it does to the node, then shows both: who has seen a job complete finds it
 * complete after a crash, too. When the store cannot write, the end is shown all the same: it has happened.
 */
export async function endJob({ services, record, line, current, outcome }: EndJobOptions): Promise<void> {
  const { archive, ledger, logs, settings, store } = services;
  const before = ledger.get(record.now.fpga_id, current.jobId);
  const { fpga_id: fpgaId, job_id: jobId, stage } = before.job;
  const log = logs.log(fpgaId, jobId);
  if (outcome.failure) {
    log.lastLine(stage ?? 'queue', `error: ${outcome.failure.message}`);
    log.lastLine(stage ?? 'queue', `note: ${outcome.failure.remedy}`);
  }
  const ended = await withResult(services, before, outcome);
  const patch = nodePatch(services, record.now, before.job, outcome);
  if (patch) {
    record.stage(patch);
    store.bench.jobs.set(jobId, ended);
    await Promise.all([log.flush(), store.commit().catch(() => {})]);
    void archive.keep(ended).catch(() => {});
  } else {
    // The log of a run is on its way; whoever reads it meanwhile gets all of it.
    await archive.keep(ended).catch(() => {});
  }
  if (patch) record.show(patch);
  line.current = null;
  ledger.show(ended);
  record.publish();
  void logs.close(jobId);
  if (ended.job.run?.op === 1 && ended.job.run.count > INLINE_WORDS)
    void store.jobFiles.removeFile(fpgaId, jobId, 'request');
  archive.prune(fpgaId, record.now.design?.job_id ?? null, settings.jobsPerNode);
}

async function withResult(
  services: NodeServices,
  before: StoredJob,
  outcome: JobOutcome,
): Promise<StoredJob> {
  const { stage, fraction: _fraction, ...rest } = before.job;
  const { status, failure, ok, summary, result } = outcome;
  const job: Job = { ...rest, status, updated_at: timestamp(services.clock) };
  // Where a failed job has come to is worth knowing; a complete one has come through.
  if (status === 'failed' && stage) job.stage = stage;
  if (failure) job.failure = failure;
  if (ok !== undefined) job.ok = ok;
  if (summary !== undefined) job.summary = summary;
  const { data: _data, ...plain } = before;
  const ended: StoredJob = { ...plain, job };
  if (!result || result.length === 0) return ended;
  const bytes = wordsToBytes(result);
  if (result.length > INLINE_WORDS) {
    try {
      await services.store.jobFiles.write(job.fpga_id, job.job_id, 'result', bytes);
      return ended;
    } catch {
      // The caller gets its words all the same: they stay in the record until the store can write again.
    }
  }
  return { ...ended, result: bytes.toString('base64') };
}

/** What becomes of the node, or null when it stays as it is. */
function nodePatch(
  services: NodeServices,
  node: StoredNode,
  job: Job,
  { event, failure, design }: JobOutcome,
): Partial<StoredNode> | null {
  if (event === undefined) return null;
  const state = advance(node.state, event);
  switch (event) {
    case 'build_failed':
      return { state };
    case 'program_succeeded':
      return {
        state,
        error: null,
        design: design ?? null,
        session: createSession({
          sessionId: services.newId(),
          fpgaId: node.fpga_id,
          owner: job.owner,
          ttlSeconds: services.settings.sessionTtlSeconds,
          now: services.clock.now(),
        }),
      };
    case 'program_failed':
    case 'reset_failed':
      return { state, error: failure ?? null, design: null, session: null };
    case 'board_failed':
      // The session stays: its holder resets the node, or it expires and the service does.
      return { state, error: failure ?? null, design: null };
    case 'reset_succeeded':
      return { state, error: null, design: null, session: null };
    case 'submit':
    case 'cancel':
    case 'build_started':
    case 'build_succeeded':
    case 'run':
    case 'reset':
      throw new Error(`A job does not end with ${event}.`);
    default:
      return assertNever(event);
  }
}
