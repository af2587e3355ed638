import { checkOf, parseAs } from '../contract/check.ts';
import { type AnyJob, hasEnded } from '../contract/jobs/jobs.ts';
import { ScriptReport } from '../contract/jobs/scripts.ts';
import { jobsError } from '../errors/jobs.ts';
import { JobLogs, openedText } from '../logs/job-logs.ts';
import type { LinkWork } from '../nodes/link-use.ts';
import { isProjectName, type ProjectFile, unpackProject } from '../toolchain/intake/project.ts';
import { ActivityLog } from './activity.ts';
import { bytesToWords } from './execution/words.ts';
import { HoldTimes } from './hold-times.ts';
import { JobIndex } from './job-index.ts';
import { Node } from './node/node.ts';
import { Placement } from './placement.ts';
import type { Caller, JobFilter, PoolSettings, RunInput, SubmitInput } from './pool.ts';
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
 * The ten nodes and their jobs, as the API uses them. A refused call throws a BenchError of the jobs area and changes
 * nothing. A resolved promise means that the change is on disk.
 */
export type NodePool = Awaited<ReturnType<typeof createNodePool>>;

/**
 * Creates the ten nodes from the store. Resolves when they are consistent and take requests; boards with sessions are
 * programmed afterwards, before the first transaction of each.
 */
export async function createNodePool(options: NodePoolOptions) {
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

  const recovered = await readBack(services, retention);
  const nodes: Node[] = store.bench.nodes.map(
    (node) => new Node(node, services, retention, () => placement.consider()),
  );
  const placement = new Placement(services, nodes);
  const unsubscribe = boards.onChange((view) => nodes[view.slot]?.boardChanged(view));
  for (const [fpgaId, { restore, reset }] of recovered.entries()) {
    nodes[fpgaId]?.prune();
    nodes[fpgaId]?.start(restore, reset);
  }
  retention.start();
  placement.prune();
  placement.consider();

  const nodeOf = (fpgaId: number): Node => nodes[fpgaId] as Node;

  /** Resolves with the job when it has ended, or `seconds` have passed. */
  async function waitForEnd(jobId: string, seconds: number, signal?: AbortSignal): Promise<AnyJob> {
    const end = clock.monotonic() + seconds * 1000;
    for (;;) {
      const job = jobs.find(jobId);
      const left = end - clock.monotonic();
      if (hasEnded(job.status) || left <= 0 || signal?.aborted) return job;
      await jobs.wait(jobId, left, signal);
    }
  }

  /** Treats a file that can't be read, e.g. a folder in its place, as absent. */
  const readable = (file: Promise<Buffer | null>): Promise<Buffer | null> =>
    file.catch((error) => {
      logger.warn({ err: error }, 'A file of a job cannot be read.');
      return null;
    });

  /** The uploaded source; of a project, its archive. @throws job_not_found, no_source. */
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
    node: (fpgaId: number) => nodeOf(fpgaId).view(),
    /** The job that built the design on the board; null where there is none. */
    designJob: (fpgaId: number) => nodeOf(fpgaId).designJob,

    /** @throws also share_used_up, nodes_booked. */
    async submit(fpgaId: number, input: SubmitInput, caller: Caller) {
      // A busy node has its own reason.
      if (nodeOf(fpgaId).free) shares.requireSubmit(caller.owner, 'idle node', placement.use);
      return await nodeOf(fpgaId).ask({ kind: 'submit', input, caller });
    },
    /**
     * Builds during the session and then replaces it; on an idle node a submit. It ends an earlier replacement: the
     * newest counts.
     * @throws also share_used_up; on an idle node nodes_booked.
     */
    async replace(fpgaId: number, input: SubmitInput, caller: Caller) {
      const { free, holder } = nodeOf(fpgaId);
      const own = holder === caller.owner;
      if (free || own) shares.requireSubmit(caller.owner, own ? 'own node' : 'idle node', placement.use);
      return await nodeOf(fpgaId).ask({ kind: 'replace', input, caller });
    },
    /**
     * Submits a job for the next idle node, or for one node; until a node takes it, the job has none.
     * @throws also queue_full, too_many_jobs, share_used_up.
     */
    submitToAny: (input: SubmitInput, caller: Caller, waitingFor: number | null = null) =>
      placement.submit(input, caller, waitingFor),
    run: (fpgaId: number, input: RunInput, caller: Caller) =>
      nodeOf(fpgaId).ask({ kind: 'run', input, caller }),
    /** Idempotent, as a release: a second call returns the pending job. */
    reset: (fpgaId: number, caller: Caller) => nodeOf(fpgaId).ask({ kind: 'reset', caller }),
    release: (fpgaId: number, caller: Caller) => nodeOf(fpgaId).ask({ kind: 'release', caller }),
    /** Requests control from the holder. @throws no_active_session, already_holder, too_many_control_requests. */
    requestControl: (fpgaId: number, caller: Caller, note: string | null) =>
      nodeOf(fpgaId).ask({ kind: 'request_control', caller, note }),
    /** @throws no_control_request. */
    withdrawControlRequest: (fpgaId: number, caller: Caller) =>
      nodeOf(fpgaId).ask({ kind: 'withdraw_control_request', caller }),
    /** @throws no_active_session, no_control_request. */
    declineControlRequest: (fpgaId: number, owner: string, caller: Caller) =>
      nodeOf(fpgaId).ask({ kind: 'decline_control_request', owner, caller }),
    /** Renews the session. @throws no_active_session, share_used_up, store_unavailable, service_stopping. */
    extendSession: (fpgaId: number) => nodeOf(fpgaId).ask({ kind: 'extend_session' }),
    /**
     * @throws no_active_session, fpga_not_reserved, already_holder, session_ended, share_used_up, store_unavailable,
     * service_stopping.
     */
    async handOver(fpgaId: number, to: string, caller: Caller) {
      const { holder } = nodeOf(fpgaId);
      if (holder !== null && holder !== to) shares.requireReceiver(to, placement.use);
      return await nodeOf(fpgaId).ask({ kind: 'hand_over', to, caller });
    },
    /** The activity of a node, or of jobs without one; newest first. */
    activity: (fpgaId: number | null, limit: number, after?: number) => activity.of(fpgaId, limit, after),
    /** The newest entry of every node and of jobs without one, newest first. */
    newestActivity: () => activity.newest(),
    /** The first words that a run wrote or read, available while its end is announced. */
    firstWords: (jobId: string) => jobs.firstWords.get(jobId) ?? [],
    /** Node null, here and below: any node, or none. */
    async cancel(fpgaId: number | null, jobId: string, caller: Caller) {
      if (fpgaId === null && (await placement.cancel(jobId, caller))) return;
      await nodeOf(fpgaId ?? jobs.get(jobId).job.fpga_id).ask({ kind: 'cancel', jobId, caller });
    },
    /** Ends a running build; resolves with the failed job. @throws job_not_found, job_not_stoppable */
    async stopBuild(fpgaId: number, jobId: string, caller: Caller) {
      await nodeOf(fpgaId).ask({ kind: 'stop_build', jobId, caller });
      await waitForEnd(jobId, STOPPED_WITHIN_S);
      return jobs.get(jobId, fpgaId).job;
    },

    /**
     * Uses the board's link between two jobs, while this session holds the node.
     * @throws fpga_not_reserved, service_stopping, and what the link throws.
     */
    overLink: <T>(fpgaId: number, sessionId: string, work: LinkWork<T>) =>
      nodeOf(fpgaId).overLink(sessionId, work),
    /**
     * Renews the session after use other than by a job, as a run does. Cheap enough for every word; for longer work see
     * workInSession.
     */
    renewSession: (fpgaId: number, sessionId: string) =>
      nodeOf(fpgaId).tell({ kind: 'use_session', sessionId }),
    /** Who holds and who waits. */
    use: () => placement.use,
    /**
     * Whether another bench may take a job of the owner: its share has room for one more node.
     * @param elsewhere its open jobs on other benches @throws share_used_up where it may not even wait here.
     */
    maySendAway(owner: string, elsewhere: number) {
      shares.requireSubmit(owner, 'line', placement.use);
      return shares.hasRoom(owner, placement.use, elsewhere);
    },
    /** Milliseconds since the last access to a node by a user. */
    idleMs: (fpgaId: number) => nodeOf(fpgaId).idleMs,
    /** Leaves a session no more than this. The next access renews it, unless its share forbids. */
    shortenSession: (fpgaId: number, ms: number) => nodeOf(fpgaId).tell({ kind: 'shorten_session', ms }),
    /** Gives waiting jobs to idle nodes, because the shares have changed. */
    placeWaiting: () => placement.consider(),

    /** @throws job_not_found, also for a job of another node. */
    job: (fpgaId: number, jobId: string) => jobs.get(jobId, fpgaId).job,
    /** A job of any node, or of none. @throws job_not_found. */
    findJob: (jobId: string) => jobs.find(jobId),
    /** Whether the job is stored. */
    knows: (jobId: string) => jobs.has(jobId),
    /** Newest first, here and below. */
    jobs: (filter: JobFilter) => jobs.list(filter),
    /** Jobs without a node: waiting ones, and those that ended before they had one. */
    unplacedJobs: (filter: Pick<JobFilter, 'limit'>) => jobs.listUnplaced(filter),
    /** Jobs of all nodes and jobs without one. */
    allJobs: (filter: JobFilter) => jobs.listAll(filter),
    /** Resolves with the job when its status changes, a node takes it or `seconds` have passed; at once if it has ended. */
    async waitForChange(jobId: string, seconds: number, signal?: AbortSignal) {
      if (!hasEnded(jobs.find(jobId).status) && seconds > 0) await jobs.wait(jobId, seconds * 1000, signal);
      return jobs.find(jobId);
    },
    waitForEnd,

    /** The whole log so far, UTF-8. */
    async readLog(fpgaId: number, jobId: string) {
      jobs.get(jobId, fpgaId);
      return await logs.read(fpgaId, jobId);
    },
    /** The log's bytes at the moment of the call, and a stream of them from `offset`, in chunks of the given size. */
    async openLog(node: number | null, jobId: string) {
      const unplaced = node === null && jobs.unplaced.get(jobId);
      if (unplaced) return openedText(placement.log(unplaced));
      return await logs.open(jobs.get(jobId, node ?? undefined).job.fpga_id, jobId);
    },
    /** The log from its beginning, then each addition, until the job ends. */
    followLog(node: number | null, jobId: string, signal?: AbortSignal) {
      if (node === null) jobs.find(jobId);
      else jobs.get(jobId, node);
      return followed(jobId, signal);
    },
    /** @throws job_not_complete while the job is queued or running. */
    async result(node: number | null, jobId: string) {
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
    /** @throws no_build_report. */
    async report(fpgaId: number, jobId: string) {
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
    /** @throws no_bitstream. */
    async bitstream(fpgaId: number, jobId: string) {
      const { job } = jobs.get(jobId, fpgaId);
      const bytes = job.build_id ? await readable(store.jobFiles.readBitstream(job.build_id)) : null;
      if (!bytes) throw jobsError('no_bitstream', { jobId });
      return bytes;
    },
    /** The report of the design's script after the build; null where there was none. */
    async scriptReport(fpgaId: number, jobId: string) {
      jobs.get(jobId, fpgaId);
      const bytes = await readable(store.jobFiles.read(fpgaId, jobId, 'script.json'));
      return bytes && parseAs(bytes.toString('utf8'), isScriptReport);
    },
    source,
    /** The files of a design, by path. @throws no_source. */
    async designFiles(fpgaId: number, jobId: string): Promise<readonly ProjectFile[]> {
      const { filename, source: archive, project } = await source(fpgaId, jobId);
      if (!project) return [{ path: filename, contents: archive }];
      return await unpackProject(archive).catch((cause) => {
        const message = 'The archive of this job’s project cannot be read: its file is damaged.';
        throw jobsError('no_source', { jobId, message, cause });
      });
    },

    /** Gives every session a new id, because the old ones were exposed. @throws store_unavailable. */
    async renewSessionIds() {
      await Promise.all(nodes.map((one) => one.ask({ kind: 'renew_session_id' })));
    },
    /** Applies to later work: present sessions and logs keep their limits. */
    configure(patch: Partial<PoolSettings>) {
      Object.assign(settings, patch);
      for (const one of nodes) one.prune();
      placement.prune();
    },
    /**
     * Ends running work within 5 s and takes no more jobs. Queued jobs and sessions stay in the store until the next
     * start. It closes neither the store, the boards nor the toolchain.
     */
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
