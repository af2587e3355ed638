import type { Job } from '../contract/jobs.ts';
import { NODE_COUNT } from '../contract/boards.ts';
import type { BuildReport } from '../contract/designs.ts';
import { randomUUID } from 'node:crypto';
import type { BoardPool } from '../boards/board.ts';
import { type Clock, systemClock } from '../clock.ts';
import { jobsError } from '../errors/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import { DEFAULT_SESSION_TTL } from '../nodes/session.ts';
import type { Store, StoredJob } from '../store/index.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import { Archive } from './archive.ts';
import { hasEnded, JobLedger } from './ledger.ts';
import { LogShelf } from './log-shelf.ts';
import { NodeActor } from './node-actor.ts';
import type { NodeServices } from './node-services.ts';
import type { NodePool, PoolSettings, RunResult } from './pool.ts';
import { recover, stoppedFailure } from './recovery.ts';
import { bytesToWords } from './words.ts';

export const DEFAULT_POOL_SETTINGS: PoolSettings = {
  sessionTtlSeconds: DEFAULT_SESSION_TTL,
  logBytes: 4 << 20,
  jobsPerNode: 500,
  queuedPerNode: 4096,
};

export interface NodePoolOptions {
  store: Store;
  boards: BoardPool;
  toolchain: Toolchain;
  events: EventHub;
  logger: Logger;
  clock?: Clock;
  newId?: () => string;
  settings?: Partial<PoolSettings>;
}

/**
 * The ten nodes, as the store left them: resolves when they are consistent and take requests; boards of
 * sessions are programmed again after that, before the first transaction of each.
 */
export async function createNodePool(options: NodePoolOptions): Promise<NodePool> {
  const { store, boards, toolchain, events, logger, clock = systemClock, newId = randomUUID } = options;
  const settings: PoolSettings = { ...DEFAULT_POOL_SETTINGS, ...options.settings };
  const ledger = new JobLedger(events);
  const logs = new LogShelf({
    files: store.jobFiles,
    clock,
    events,
    logger,
    limit: () => settings.logBytes,
  });
  const archive = new Archive({ store, ledger, logger });
  const services: NodeServices = {
    store,
    boards,
    toolchain,
    events,
    clock,
    logger,
    ledger,
    logs,
    archive,
    settings,
    newId,
  };

  const starts = await readBack(services);
  const actors = Array.from({ length: NODE_COUNT }, (_, fpgaId) => new NodeActor(fpgaId, services));
  const unsubscribe = boards.onChange((view) => actors[view.slot]?.boardChanged(view));
  for (const [fpgaId, start] of starts.entries()) actors[fpgaId]?.start(start);

  const actor = (fpgaId: number): NodeActor => {
    const found = actors[fpgaId];
    if (!found) throw new RangeError(`There is no node ${fpgaId}.`);
    return found;
  };
  const ofBuild = (fpgaId: number, jobId: string): StoredJob => ledger.get(fpgaId, jobId);

  return {
    nodes: () => actors.map((one) => one.view()),
    node: (fpgaId) => actor(fpgaId).view(),
    submit: async (fpgaId, input, caller) => await actor(fpgaId).intake.submit(input, caller),
    run: async (fpgaId, input, caller) => await actor(fpgaId).intake.run(input, caller),
    reset: async (fpgaId, caller) => await actor(fpgaId).intake.reset('reset', caller),
    release: async (fpgaId, caller) => await actor(fpgaId).intake.reset('release', caller),
    cancel: async (fpgaId, jobId, caller) => await actor(fpgaId).intake.cancel(jobId, caller),

    job: (fpgaId, jobId) => ledger.get(fpgaId, jobId).job,
    findJob: (jobId) => ledger.find(jobId).job,
    jobs: (filter) => ledger.list(filter),
    async waitForChange(fpgaId, jobId, seconds, signal): Promise<Job> {
      const { job } = ledger.get(fpgaId, jobId);
      if (!hasEnded(job.status) && seconds > 0) await ledger.wait(jobId, seconds * 1000, signal);
      return ledger.get(fpgaId, jobId).job;
    },

    async readLog(fpgaId, jobId) {
      ledger.get(fpgaId, jobId);
      return await logs.read(fpgaId, jobId);
    },
    followLog(fpgaId, jobId, signal) {
      ledger.get(fpgaId, jobId);
      const ended = () => !ledger.has(jobId) || hasEnded(ledger.get(fpgaId, jobId).job.status);
      return logs.follow(fpgaId, jobId, ended, signal);
    },
    async result(fpgaId, jobId): Promise<RunResult> {
      const { job, result } = ledger.get(fpgaId, jobId);
      if (!hasEnded(job.status)) throw jobsError('job_not_complete', { jobId });
      const none = { ok: false, data: new Uint32Array(0) };
      if (job.status !== 'complete' || job.ok === false) return none;
      if (result !== undefined) return { ok: true, data: bytesToWords(Buffer.from(result, 'base64')) };
      if (job.run?.op !== 2 || job.run.count === 0) return { ok: true, data: none.data };
      const bytes = await store.jobFiles.read(fpgaId, jobId, 'result');
      if (bytes?.length !== job.run.count * 4) throw jobsError('job_data_missing', { jobId });
      return { ok: true, data: bytesToWords(bytes) };
    },
    async report(fpgaId, jobId): Promise<BuildReport> {
      ofBuild(fpgaId, jobId);
      const bytes = await store.jobFiles.read(fpgaId, jobId, 'report.json');
      if (!bytes) throw jobsError('no_build_report', { jobId });
      return JSON.parse(bytes.toString('utf8')) as BuildReport;
    },
    async bitstream(fpgaId, jobId) {
      const { job } = ofBuild(fpgaId, jobId);
      const bytes = job.build_id ? await store.jobFiles.readBitstream(job.build_id) : null;
      if (!bytes) throw jobsError('no_bitstream', { jobId });
      return bytes;
    },
    async source(fpgaId, jobId) {
      const { job } = ofBuild(fpgaId, jobId);
      const source = job.submit ? await store.jobFiles.read(fpgaId, jobId, 'source') : null;
      if (!source || !job.submit) throw jobsError('no_source', { jobId });
      return { filename: job.submit.filename, source };
    },

    configure(patch) {
      Object.assign(settings, patch);
      for (const { fpga_id, design } of store.bench.nodes)
        archive.prune(fpga_id, design?.job_id ?? null, settings.jobsPerNode);
    },
    async close() {
      unsubscribe();
      await Promise.all(actors.map((one) => one.stop()));
      await logs.closeAll();
      await archive.settled();
      await store.commit().catch(() => {});
    },
  };
}

/** Takes in what the store has and makes it consistent; resolves with what each node finds to do. */
async function readBack(services: NodeServices) {
  const { store, ledger, logs, archive, clock, settings, logger } = services;
  const { bench } = store;
  const archived = new Set<string>();
  for (const history of store.ended) {
    for (const stored of [...history].sort((a, b) => a.seq - b.seq)) {
      archived.add(stored.job.job_id);
      ledger.add(stored);
      bench.seq = Math.max(bench.seq, stored.seq);
    }
  }
  for (const jobId of [...bench.jobs.keys()]) if (archived.has(jobId)) bench.jobs.delete(jobId);

  const { nodes, interrupted, ended } = recover(
    bench,
    {
      archived,
      hasBegun: ({ job }) => store.histories[job.fpga_id]?.hasBegun(job.job_id) ?? false,
    },
    clock.now(),
  );
  bench.nodes = nodes.map(({ record }) => record);
  const { message, remedy } = stoppedFailure();
  for (const stored of interrupted) {
    const { fpga_id: fpgaId, job_id: jobId, stage, started_at: began } = stored.job;
    const log = await logs.reopen(fpgaId, jobId);
    log.start(began ? Date.parse(began) : clock.now());
    log.lastLine(stage ?? 'queue', `error: ${message}`);
    log.lastLine(stage ?? 'queue', `note: ${remedy}`);
    await logs.close(jobId);
    logger.warn(
      { fpga_id: fpgaId, job_id: jobId, type: stored.job.type },
      'A job was running when the service ended; it has failed.',
    );
  }
  for (const stored of [...interrupted, ...ended]) {
    ledger.add(stored);
    bench.jobs.set(stored.job.job_id, stored);
  }
  for (const { start } of nodes) for (const stored of start.waiting) ledger.add(stored);
  await store.commit().catch(() => {});
  for (const stored of [...interrupted, ...ended]) void archive.keep(stored).catch(() => {});
  for (const [fpgaId, { record }] of nodes.entries())
    archive.prune(fpgaId, record.design?.job_id ?? null, settings.jobsPerNode);
  // What was set aside may still be mended by hand, and its files are wanted then.
  if (store.notices.length === 0) archive.sweep();
  return nodes.map(({ start }) => start);
}
