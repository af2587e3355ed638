import type { BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import { hasEnded } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import { JobLogs } from '../logs/job-logs.ts';
import type { Store } from '../store/index.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import { parseBuildReport } from './build-report.ts';
import { JobIndex } from './job-index.ts';
import { Node } from './node.ts';
import type { NodePool, PoolSettings } from './pool.ts';
import { readBack } from './recovery.ts';
import { Retention } from './retention.ts';
import type { Services } from './services.ts';
import { bytesToWords } from './words.ts';

export interface NodePoolOptions {
  store: Store;
  boards: BoardPool;
  toolchain: Toolchain;
  events: EventHub;
  logger: Logger;
  clock: Clock;
  /** A new UUID. */
  newId: () => string;
  settings: PoolSettings;
}

/**
 * The ten nodes, as the store left them: resolves when they are consistent and take requests; boards of
 * sessions are programmed again after that, before the first transaction of each.
 */
export async function createNodePool(options: NodePoolOptions): Promise<NodePool> {
  const { store, boards, toolchain, events, logger, clock, newId } = options;
  const settings: PoolSettings = { ...options.settings };
  const jobs = new JobIndex({ store, events, clock });
  const logs = new JobLogs({ files: store.jobFiles, clock, events, logger, limit: () => settings.logBytes });
  const retention = new Retention({ store, jobs, logger });
  const shared = { store, boards, toolchain, events, clock, logger };
  const services: Services = { ...shared, jobs, logs, settings, newId };

  const starts = await readBack(services, retention);
  const nodes = store.bench.nodes.map((node) => new Node(node, services, retention));
  const unsubscribe = boards.onChange((view) => nodes[view.slot]?.boardChanged(view));
  for (const [fpgaId, start] of starts.entries()) {
    nodes[fpgaId]?.prune();
    nodes[fpgaId]?.start(start);
  }

  const nodeOf = (fpgaId: number): Node => {
    const found = nodes[fpgaId];
    if (!found) throw new RangeError(`There is no node ${fpgaId}.`);
    return found;
  };

  return {
    nodes: () => nodes.map((one) => one.view()),
    node: (fpgaId) => nodeOf(fpgaId).view(),
    submit: async (fpgaId, input, caller) => await nodeOf(fpgaId).requests.submit(input, caller),
    run: async (fpgaId, input, caller) => await nodeOf(fpgaId).requests.run(input, caller),
    reset: async (fpgaId, caller) => await nodeOf(fpgaId).requests.reset('reset', caller),
    release: async (fpgaId, caller) => await nodeOf(fpgaId).requests.reset('release', caller),
    cancel: async (fpgaId, jobId, caller) => await nodeOf(fpgaId).requests.cancel(jobId, caller),

    job: (fpgaId, jobId) => jobs.get(jobId, fpgaId).job,
    findJob: (jobId) => jobs.get(jobId).job,
    jobs: (filter) => jobs.list(filter),
    async waitForChange(fpgaId, jobId, seconds, signal) {
      const { job } = jobs.get(jobId, fpgaId);
      if (!hasEnded(job.status) && seconds > 0) await jobs.wait(jobId, seconds * 1000, signal);
      return jobs.get(jobId, fpgaId).job;
    },

    async readLog(fpgaId, jobId) {
      jobs.get(jobId, fpgaId);
      return await logs.read(fpgaId, jobId);
    },
    followLog(fpgaId, jobId, signal) {
      jobs.get(jobId, fpgaId);
      const ended = () => !jobs.has(jobId) || hasEnded(jobs.get(jobId, fpgaId).job.status);
      return logs.follow(fpgaId, jobId, ended, signal);
    },
    async result(fpgaId, jobId) {
      const { job, result } = jobs.get(jobId, fpgaId);
      if (!hasEnded(job.status)) throw jobsError('job_not_complete', { jobId });
      const none = { ok: false, data: new Uint32Array(0) };
      if (job.status !== 'complete' || job.ok === false) return none;
      if (result !== undefined) return { ok: true, data: bytesToWords(Buffer.from(result, 'base64')) };
      if (job.run?.op !== 2 || job.run.count === 0) return { ok: true, data: none.data };
      const bytes = await store.jobFiles.read(fpgaId, jobId, 'result');
      if (bytes?.length !== job.run.count * 4) throw jobsError('job_data_missing', { jobId });
      return { ok: true, data: bytesToWords(bytes) };
    },
    async report(fpgaId, jobId) {
      jobs.get(jobId, fpgaId);
      const bytes = await store.jobFiles.read(fpgaId, jobId, 'report.json');
      if (!bytes) throw jobsError('no_build_report', { jobId });
      const report = parseBuildReport(bytes.toString('utf8'));
      if (!report) {
        const message = 'The build report of this job cannot be read: its file is damaged.';
        throw jobsError('no_build_report', { jobId, message, remedy: 'Submit the design again.' });
      }
      return report;
    },
    async bitstream(fpgaId, jobId) {
      const { job } = jobs.get(jobId, fpgaId);
      const bytes = job.build_id ? await store.jobFiles.readBitstream(job.build_id) : null;
      if (!bytes) throw jobsError('no_bitstream', { jobId });
      return bytes;
    },
    async source(fpgaId, jobId) {
      const { job } = jobs.get(jobId, fpgaId);
      const source = job.submit ? await store.jobFiles.read(fpgaId, jobId, 'source') : null;
      if (!source || !job.submit) throw jobsError('no_source', { jobId });
      return { filename: job.submit.filename, source };
    },

    configure(patch) {
      Object.assign(settings, patch);
      for (const one of nodes) one.prune();
    },
    async close() {
      unsubscribe();
      await Promise.all(nodes.map((one) => one.stop()));
      await logs.closeAll();
      await retention.settled();
      await store.commit().catch(() => {});
    },
  };
}
