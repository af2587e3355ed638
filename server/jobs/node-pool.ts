import { checkOf, parseAs } from '../contract/check.ts';
import { hasEnded } from '../contract/jobs/jobs.ts';
import { ScriptReport } from '../contract/jobs/scripts.ts';
import { jobsError } from '../errors/jobs.ts';
import { JobLogs, openedText } from '../logs/job-logs.ts';
import { isProjectName, unpackProject } from '../toolchain/intake/project.ts';
import { ActivityLog } from './activity.ts';
import { bytesToWords } from './execution/words.ts';
import { HoldTimes } from './hold-times.ts';
import { JobIndex } from './job-index.ts';
import { Node } from './node/node.ts';
import { Placement } from './placement.ts';
import type { NodePool, PoolSettings } from './pool.ts';
import { parseBuildReport } from './rebuild.ts';
import { readBack } from './recovery.ts';
import { Retention } from './retention.ts';
import type { Services } from './services.ts';
import { NO_SHARES } from './share-policy.ts';
import type { Shared } from './shared.ts';

const isScriptReport = checkOf(ScriptReport);

/** How long a follower of the log of a job without a node waits before it looks again. */
const MAX_WAIT_MS = 60_000;
/** Time limit for a stopped build to end, seconds. */
const STOPPED_WITHIN_S = 5;

type Optional = 'keptScript' | 'shares' | 'transactions';
/** Without `keptScript` designs have no scripts, without `shares` the order of acceptance decides. */
export type NodePoolOptions = Omit<Shared, 'holds' | Optional> & Partial<Pick<Shared, Optional>>;

/**
 * Creates the ten nodes from the store. Resolves when they are consistent and take requests; boards with sessions are
 * programmed afterwards, before the first transaction of each.
 */
export async function createNodePool(options: NodePoolOptions): Promise<NodePool> {
  const { store, boards, events, logger, clock } = options;
  const settings: PoolSettings = { ...options.settings };
  const shared: Shared = {
    ...{ keptScript: async () => null, shares: NO_SHARES, transactions: () => 0 },
    ...{ ...options, settings, holds: new HoldTimes(clock) },
  };
  const { shares } = shared;
  const jobs = new JobIndex(shared);
  const [limit, kept] = [() => settings.logBytes, (jobId: string) => jobs.logOf(jobId)];
  const logs = new JobLogs({ store, clock, events, logger, limit, kept });
  const activity = new ActivityLog(shared);
  const services: Services = { ...shared, jobs, logs, activity };
  const retention = new Retention(services);

  const starts = await readBack(services, retention);
  const nodes: Node[] = store.bench.nodes.map(
    (node) => new Node(node, services, retention, () => placement.consider()),
  );
  const placement = new Placement(services, nodes);
  const unsubscribe = boards.onChange((view) => nodes[view.slot]?.boardChanged(view));
  for (const [fpgaId, start] of starts.entries()) {
    nodes[fpgaId]?.prune();
    nodes[fpgaId]?.start(start);
  }
  retention.start();
  placement.prune();
  placement.consider();

  const nodeOf = (fpgaId: number): Node => nodes[fpgaId] as Node;

  const waitForEnd: NodePool['waitForEnd'] = async (jobId, seconds, signal) => {
    const end = clock.monotonic() + seconds * 1000;
    for (;;) {
      const job = jobs.find(jobId);
      const left = end - clock.monotonic();
      if (hasEnded(job.status) || left <= 0 || signal?.aborted) return job;
      await jobs.wait(jobId, left, signal);
    }
  };

  /** Treats a file that can't be read, e.g. a folder in its place, as absent. */
  const readable = (file: Promise<Buffer | null>): Promise<Buffer | null> =>
    file.catch((error) => {
      logger.warn({ err: error }, 'A file of a job cannot be read.');
      return null;
    });

  async function source(
    fpgaId: number | null,
    jobId: string,
  ): Promise<{ filename: string; source: Buffer; project: boolean }> {
    const { submit } = fpgaId === null ? jobs.find(jobId) : jobs.get(jobId, fpgaId).job;
    const bytes = submit ? await readable(store.jobFiles.read(fpgaId, jobId, 'source')) : null;
    if (bytes && submit)
      return { filename: submit.filename, source: bytes, project: isProjectName(submit.filename) };
    const now = jobs.has(jobId) ? jobs.find(jobId).fpga_id : null;
    // A node has taken the job meanwhile, and its source.
    if (fpgaId === null && now !== null) return await source(now, jobId);
    throw jobsError('no_source', { jobId });
  }

  /** Follows the log of a job, with or without a node. A node that takes the job begins its log with the same bytes. */
  async function* followed(jobId: string, signal?: AbortSignal): AsyncIterable<Buffer> {
    let sent = 0;
    for (let waits = jobs.unplaced.get(jobId); waits; waits = jobs.unplaced.get(jobId)) {
      const text = placement.log(waits);
      if (text.length > sent) yield text.subarray(sent);
      sent = text.length;
      if (hasEnded(waits.job.status) || signal?.aborted) return;
      // A node may have taken the job during the send.
      if (jobs.unplaced.get(jobId) === waits) await jobs.wait(jobId, MAX_WAIT_MS, signal);
    }
    if (!jobs.has(jobId) || signal?.aborted) return;
    const { fpga_id: fpgaId } = jobs.get(jobId).job;
    const ended = () => !jobs.has(jobId) || hasEnded(jobs.get(jobId).job.status);
    for await (const chunk of logs.follow(fpgaId, jobId, ended, signal)) {
      const skipped = Math.min(sent, chunk.length);
      sent -= skipped;
      if (skipped < chunk.length) yield chunk.subarray(skipped);
    }
  }

  return {
    nodes: () => nodes.map((one) => one.view()),
    node: (fpgaId) => nodeOf(fpgaId).view(),
    async submit(fpgaId, input, caller) {
      // A busy node has its own reason.
      if (nodeOf(fpgaId).free) shares.requireSubmit(caller.owner, 'idle node', placement.use);
      return await nodeOf(fpgaId).ask({ kind: 'submit', input, caller });
    },
    async replace(fpgaId, input, caller) {
      const { free, holder } = nodeOf(fpgaId);
      const own = holder === caller.owner;
      if (free || own) shares.requireSubmit(caller.owner, own ? 'own node' : 'idle node', placement.use);
      return await nodeOf(fpgaId).ask({ kind: 'replace', input, caller });
    },
    run: async (fpgaId, input, caller) => await nodeOf(fpgaId).ask({ kind: 'run', input, caller }),
    reset: async (fpgaId, caller) => await nodeOf(fpgaId).ask({ kind: 'reset', caller }),
    release: async (fpgaId, caller) => await nodeOf(fpgaId).ask({ kind: 'release', caller }),
    async cancel(fpgaId, jobId, caller) {
      if (fpgaId === null && (await placement.cancel(jobId, caller))) return;
      await nodeOf(fpgaId ?? jobs.get(jobId).job.fpga_id).ask({ kind: 'cancel', jobId, caller });
    },
    async stopBuild(fpgaId, jobId, caller) {
      await nodeOf(fpgaId).ask({ kind: 'stop_build', jobId, caller });
      await waitForEnd(jobId, STOPPED_WITHIN_S);
      return jobs.get(jobId, fpgaId).job;
    },
    submitToAny: async (input, caller, waitingFor = null) =>
      await placement.submit(input, caller, waitingFor),
    requestControl: async (fpgaId, caller, note) =>
      await nodeOf(fpgaId).ask({ kind: 'request_control', caller, note }),
    withdrawControlRequest: async (fpgaId, caller) =>
      await nodeOf(fpgaId).ask({ kind: 'withdraw_control_request', caller }),
    declineControlRequest: async (fpgaId, owner, caller) =>
      await nodeOf(fpgaId).ask({ kind: 'decline_control_request', owner, caller }),
    extendSession: async (fpgaId) => await nodeOf(fpgaId).ask({ kind: 'extend_session' }),
    async handOver(fpgaId, to, caller) {
      const { holder } = nodeOf(fpgaId);
      if (holder !== null && holder !== to) shares.requireReceiver(to, placement.use);
      return await nodeOf(fpgaId).ask({ kind: 'hand_over', to, caller });
    },
    activity: (fpgaId, limit, after) => activity.of(fpgaId, limit, after),
    newestActivity: () => activity.newest(),
    firstWords: (jobId) => jobs.firstWords.get(jobId) ?? [],
    renewSession: (fpgaId, sessionId) => nodeOf(fpgaId).renewSession(sessionId),
    designJob: (fpgaId) => nodeOf(fpgaId).designJob,
    overLink: async (fpgaId, sessionId, work) => await nodeOf(fpgaId).overLink(sessionId, work),

    use: () => placement.use,
    maySendAway(owner, elsewhere) {
      shares.requireSubmit(owner, 'line', placement.use);
      return shares.hasRoom(owner, placement.use, elsewhere);
    },
    idleMs: (fpgaId) => nodeOf(fpgaId).idleMs,
    shortenSession: (fpgaId, ms) => nodeOf(fpgaId).shortenSession(ms),
    placeWaiting: () => placement.consider(),

    job: (fpgaId, jobId) => jobs.get(jobId, fpgaId).job,
    knows: (jobId) => jobs.has(jobId),
    findJob: (jobId) => jobs.find(jobId),
    jobs: (filter) => jobs.list(filter),
    unplacedJobs: ({ limit }) => jobs.listUnplaced(limit),
    allJobs: (filter) => jobs.listAll(filter),
    async waitForChange(jobId, seconds, signal) {
      if (!hasEnded(jobs.find(jobId).status) && seconds > 0) await jobs.wait(jobId, seconds * 1000, signal);
      return jobs.find(jobId);
    },
    waitForEnd,

    async readLog(fpgaId, jobId) {
      jobs.get(jobId, fpgaId);
      return await logs.read(fpgaId, jobId);
    },
    async openLog(node, jobId) {
      const unplaced = node === null && jobs.unplaced.get(jobId);
      if (unplaced) return openedText(placement.log(unplaced));
      return await logs.open(jobs.get(jobId, node ?? undefined).job.fpga_id, jobId);
    },
    followLog(node, jobId, signal) {
      if (node === null) jobs.find(jobId);
      else jobs.get(jobId, node);
      return followed(jobId, signal);
    },
    async result(node, jobId) {
      const job = node === null ? jobs.find(jobId) : jobs.get(jobId, node).job;
      const { fpga_id: fpgaId } = job;
      if (!hasEnded(job.status)) throw jobsError('job_not_complete', { jobId });
      const none = { ok: false, data: new Uint32Array(0) };
      if (fpgaId === null || job.status !== 'complete' || job.ok === false) return none;
      const { result } = jobs.get(jobId);
      if (result !== undefined) return { ok: true, data: bytesToWords(Buffer.from(result, 'base64')) };
      if (job.run?.op !== 2 || job.run.count === 0) return { ok: true, data: none.data };
      const bytes = await readable(store.jobFiles.read(fpgaId, jobId, 'result'));
      if (bytes?.length !== job.run.count * 4) throw jobsError('job_data_missing', { jobId });
      return { ok: true, data: bytesToWords(bytes) };
    },
    async report(fpgaId, jobId) {
      jobs.get(jobId, fpgaId);
      const bytes = await readable(store.jobFiles.read(fpgaId, jobId, 'report.json'));
      if (!bytes) throw jobsError('no_build_report', { jobId });
      const report = parseBuildReport(bytes.toString('utf8'));
      if (!report) {
        const message = 'The build report of this job cannot be read: its file is damaged.';
        throw jobsError('no_build_report', { jobId, message, remedy: 'Submit the design again.' });
      }
      return report;
    },
    async scriptReport(fpgaId, jobId) {
      jobs.get(jobId, fpgaId);
      const bytes = await readable(store.jobFiles.read(fpgaId, jobId, 'script.json'));
      return bytes && parseAs(bytes.toString('utf8'), isScriptReport);
    },
    async bitstream(fpgaId, jobId) {
      const { job } = jobs.get(jobId, fpgaId);
      const bytes = job.build_id ? await readable(store.jobFiles.readBitstream(job.build_id)) : null;
      if (!bytes) throw jobsError('no_bitstream', { jobId });
      return bytes;
    },
    source,
    async designFiles(fpgaId, jobId) {
      const { filename, source: archive, project } = await source(fpgaId, jobId);
      if (!project) return [{ path: filename, contents: archive }];
      return await unpackProject(archive).catch((cause) => {
        const message = 'The archive of this job’s project cannot be read: its file is damaged.';
        throw jobsError('no_source', { jobId, message, cause });
      });
    },

    async renewSessionIds() {
      await Promise.all(nodes.map((one) => one.ask({ kind: 'renew_session_id' })));
    },
    configure(patch) {
      Object.assign(settings, patch);
      for (const one of nodes) one.prune();
      placement.prune();
    },
    async close() {
      unsubscribe();
      retention.stop();
      await placement.close();
      await Promise.all(nodes.map((one) => one.stop()));
      await logs.closeAll();
      await retention.settled();
      await store.commit().catch(() => {});
    },
  };
}
