import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SharedStatus } from '../contract/bench.ts';
import type { KnownBoard } from '../contract/boards.ts';
import type { BenchEvent } from '../contract/events.ts';
import { hasEnded, JOB_TYPES, type Job } from '../contract/jobs.ts';
import { FPGA_STATES, type NodeView } from '../contract/nodes.ts';
import { wishboneError } from '../errors/wishbone.ts';

/** What is asked at each scrape, because it is a state and no event. */
export interface MetricSources {
  /** Milliseconds since the epoch. */
  now(): number;
  status(): SharedStatus;
  nodes(): readonly NodeView[];
  boards(): readonly KnownBoard[];
  /** Jobs that have not ended. */
  openJobs(): readonly Job[];
  streams(): { total: number; lan: number };
  /** Bytes of the data directory and free on its disk; null until they were measured. */
  space(): { bytes: number | null; freeBytes: number | null };
}

/** Seconds: from an answer out of memory to a build that takes minutes. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/**
 * The figures of one bench in Prometheus's text format (https://prometheus.io/docs/instrumenting/exposition_formats/).
 * Events and calls count as they come; states are read when somebody scrapes. Labels are bounded: job types, codes
 * of the error catalogue, patterns of routes, never a name or an id.
 */
export class BenchMetrics {
  readonly #registry = new Registry();
  readonly #open = new Set<string>();
  #processWatched = false;
  readonly #jobs: Counter<'type' | 'outcome'>;
  readonly #failures: Counter<'type' | 'code'>;
  readonly #linkErrors: Counter<'code'>;
  readonly #busFaults: Counter;
  readonly #jobSeconds: Histogram<'type'>;
  readonly #waitSeconds: Histogram<'type'>;
  readonly #builds: Counter<'engine' | 'outcome'>;
  readonly #fallbacks: Counter;
  readonly #stageSeconds: Histogram<'engine' | 'stage'>;
  readonly #flushSeconds: Histogram;
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #requestSeconds: Histogram<'method' | 'route'>;
  #refresh: (() => void) | null = null;

  constructor(version: string) {
    const registers = [this.#registry];
    new Gauge({ name: 'wishbench_info', help: 'Version of the service.', labelNames: ['version'], registers })
      .labels(version)
      .set(1);
    this.#jobs = new Counter({
      name: 'wishbench_jobs_total',
      help: 'Jobs that have ended since the start, by type and outcome.',
      labelNames: ['type', 'outcome'],
      registers,
    });
    for (const type of JOB_TYPES) this.#jobs.inc({ type, outcome: 'complete' }, 0);
    this.#failures = new Counter({
      name: 'wishbench_job_failures_total',
      help: 'Failed jobs by code of the error catalogue.',
      labelNames: ['type', 'code'],
      registers,
    });
    this.#linkErrors = new Counter({
      name: 'wishbench_link_errors_total',
      help: 'Jobs that the link to the board ended, by code. Nothing is sent again by itself: there are no silent retries.',
      labelNames: ['code'],
      registers,
    });
    for (const code of Object.keys(wishboneError.specs))
      if (isLinkError(code)) this.#linkErrors.inc({ code }, 0);
    this.#busFaults = new Counter({
      name: 'wishbench_bus_faults_total',
      help: 'Runs that the design did not acknowledge.',
      registers,
    });
    this.#jobSeconds = new Histogram({
      name: 'wishbench_job_seconds',
      help: 'From the acceptance of a job to its end.',
      labelNames: ['type'],
      buckets: SECONDS,
      registers,
    });
    this.#waitSeconds = new Histogram({
      name: 'wishbench_job_wait_seconds',
      help: 'From the acceptance of a job to its beginning.',
      labelNames: ['type'],
      buckets: SECONDS,
      registers,
    });
    this.#builds = new Counter({
      name: 'wishbench_builds_total',
      help: 'Builds by engine and outcome: built, cached or failed.',
      labelNames: ['engine', 'outcome'],
      registers,
    });
    this.#fallbacks = new Counter({
      name: 'wishbench_builds_read_by_fallback_total',
      help: "Builds, not from the cache, of designs that slang refuses and Yosys's own reader takes.",
      registers,
    });
    this.#stageSeconds = new Histogram({
      name: 'wishbench_build_stage_seconds',
      help: 'Stages of builds that did not come from the cache.',
      labelNames: ['engine', 'stage'],
      buckets: SECONDS,
      registers,
    });
    this.#flushSeconds = new Histogram({
      name: 'wishbench_store_flush_seconds',
      help: 'Writes of the state to disk, with the wait for the disk.',
      buckets: SECONDS,
      registers,
    });
    this.#requests = new Counter({
      name: 'wishbench_http_requests_total',
      help: 'Answered requests by pattern of the route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'wishbench_http_request_seconds',
      help: 'From a request to the end of its answer, long polls and streams included.',
      labelNames: ['method', 'route'],
      buckets: SECONDS,
      registers,
    });
  }

  /** What the text is called over HTTP. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Tells where the states are read from; the jobs that are open now are counted when they end. */
  watch(sources: MetricSources): void {
    for (const job of sources.openJobs()) this.#open.add(job.job_id);
    this.#refresh = readStates(this.#registry, sources);
  }

  /** All figures, in the text format. */
  async text(): Promise<string> {
    // It keeps a timer: whom nobody scrapes does not pay for it.
    if (!this.#processWatched) {
      this.#processWatched = true;
      collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 20 });
    }
    this.#refresh?.();
    return await this.#registry.metrics();
  }

  /** An event of the bench. */
  onEvent(event: BenchEvent): void {
    if (event.type !== 'job') return;
    const { job } = event;
    if (!hasEnded(job.status)) {
      this.#open.add(job.job_id);
      return;
    }
    // The end of a job may be announced again with more to say.
    if (!this.#open.delete(job.job_id)) return;
    const { type, status, created_at, started_at, updated_at, failure } = job;
    this.#jobs.inc({ type, outcome: status });
    this.#jobSeconds.observe({ type }, seconds(created_at, updated_at));
    if (started_at !== undefined) this.#waitSeconds.observe({ type }, seconds(created_at, started_at));
    if (type === 'run' && status === 'complete' && job.ok === false) this.#busFaults.inc();
    if (!failure) return;
    this.#failures.inc({ type, code: failure.error });
    if (isLinkError(failure.error)) this.#linkErrors.inc({ code: failure.error });
  }

  /** A build has ended; `stages` is stage → seconds. */
  onBuild(
    engine: string,
    outcome: 'built' | 'cached' | 'failed',
    stages: Partial<Record<string, number>> = {},
  ) {
    this.#builds.inc({ engine, outcome });
    for (const [stage, took] of Object.entries(stages))
      if (took !== undefined) this.#stageSeconds.observe({ engine, stage }, took);
  }

  /** A design was built that only Yosys's own reader reads. */
  onFallback(): void {
    this.#fallbacks.inc();
  }

  /** The state was written to disk, or could not be. */
  onFlush(milliseconds: number): void {
    this.#flushSeconds.observe(milliseconds / 1000);
  }

  /** A request was answered; `route` is the pattern of its address. */
  onRequest(method: string, route: string, status: number, milliseconds: number): void {
    this.#requests.inc({ method, route, status: String(status) });
    this.#requestSeconds.observe({ method, route }, milliseconds / 1000);
  }
}

/** Codes of the link itself; the others of its area are refusals of a request. */
const isLinkError = (code: string): boolean => code.startsWith('link_') || code === 'not_wishbench';

/** Makes the gauges; the function that comes back reads them all anew. */
function readStates(registry: Registry, sources: MetricSources): () => void {
  const gauge = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Gauge<T>({ name: `wishbench_${name}`, help, labelNames, registers: [registry] });
  const nodes = gauge('nodes', 'Nodes by state.', ['state']);
  const boards = gauge('boards', 'Boards in slots, by kind and whether they are there.', ['kind', 'present']);
  const sessions = gauge('sessions', 'Sessions that hold a node.');
  const jobs = gauge('jobs_open', 'Jobs that have not ended, by type and status.', ['type', 'status']);
  const oldest = gauge('job_oldest_queued_seconds', 'Age of the job that has been queued longest.');
  const streams = gauge('event_streams', 'Open event streams, by where they come from.', ['from']);
  const slots = gauge('build_slots', 'Builds that can run at once.');
  const building = gauge('builds_running', 'Builds that run.');
  const waiting = gauge('builds_waiting', 'Builds that wait for a slot.');
  const store = gauge('store_healthy', '1 while the data directory can be written.');
  const data = gauge('data_bytes', 'Size of the data directory.');
  const free = gauge('disk_free_bytes', 'Free on the disk of the data directory.');

  return () => {
    const { builds, store: healthy } = sources.status();
    slots.set(builds.total);
    building.set(builds.busy);
    waiting.set(builds.waiting);
    store.set(healthy ? 1 : 0);

    const views = sources.nodes();
    for (const state of FPGA_STATES)
      nodes.set({ state }, views.filter((node) => node.state === state).length);
    sessions.set(views.filter(({ session }) => session !== null).length);

    boards.reset();
    for (const { kind, present, slot } of sources.boards())
      if (slot !== null) boards.inc({ kind, present: String(present) });

    const open = sources.openJobs();
    for (const type of JOB_TYPES)
      for (const status of ['queued', 'running'])
        jobs.set({ type, status }, open.filter((job) => job.type === type && job.status === status).length);
    const since = open.filter(({ status }) => status === 'queued').map((job) => Date.parse(job.created_at));
    oldest.set(since.length === 0 ? 0 : Math.max(0, (sources.now() - Math.min(...since)) / 1000));

    const { total, lan } = sources.streams();
    streams.set({ from: 'this_computer' }, total - lan);
    streams.set({ from: 'lan' }, lan);

    const { bytes, freeBytes } = sources.space();
    if (bytes !== null) data.set(bytes);
    if (freeBytes !== null) free.set(freeBytes);
  };
}
