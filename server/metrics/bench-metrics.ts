import { collectDefaultMetrics, Registry } from 'prom-client';
import type { SharedStatus } from '../contract/bench/bench.ts';
import type { BoardEntry } from '../contract/boards/boards.ts';
import type { BenchEvent } from '../contract/events/events.ts';
import { hasEnded, JOB_TYPES, type Job } from '../contract/jobs/jobs.ts';
import { FPGA_STATES, type NodeView } from '../contract/nodes/nodes.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { type Metrics, makeMetrics } from './metrics.ts';

/** States that are read at each scrape. */
export interface MetricSources {
  /** Milliseconds since the epoch. */
  now(): number;
  status(): SharedStatus;
  nodes(): readonly NodeView[];
  boards(): readonly BoardEntry[];
  /** Jobs that have not ended. */
  openJobs(): readonly Job[];
  streams(): { total: number; lan: number };
  /** Bytes of the data directory and free on its disk; null before the first measurement. */
  space(): { bytes: number | null; freeBytes: number | null };
}

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/**
 * The figures of one bench in Prometheus's text format (https://prometheus.io/docs/instrumenting/exposition_formats/).
 * Events and calls are counted as they come; states are read at each scrape. Labels are bounded: job types, error codes
 * and route patterns, never a name or an id.
 */
export class BenchMetrics {
  readonly #registry = new Registry();
  readonly #metrics = makeMetrics(this.#registry);
  readonly #open = new Set<string>();
  #processWatched = false;
  #refresh: (() => void) | null = null;

  constructor(version: string) {
    this.#metrics.info.set({ version }, 1);
    for (const type of JOB_TYPES) this.#metrics.jobs_total.inc({ type, outcome: 'complete' }, 0);
    for (const code of Object.keys(wishboneError.specs))
      if (isLinkError(code)) this.#metrics.link_errors_total.inc({ code }, 0);
  }

  /** The media type of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Sets the sources of states; open jobs are counted when they end. */
  watch(sources: MetricSources): void {
    for (const job of sources.openJobs()) this.#open.add(job.job_id);
    this.#refresh = readStates(this.#metrics, sources);
  }

  /** All figures, in the text format. */
  async text(): Promise<string> {
    // It needs a timer, so it starts at the first scrape.
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
    // The end of a job may be announced again with more facts.
    if (!this.#open.delete(job.job_id)) return;
    const { type, status, created_at, started_at, updated_at, failure } = job;
    this.#metrics.jobs_total.inc({ type, outcome: status });
    this.#metrics.job_seconds.observe({ type }, seconds(created_at, updated_at));
    if (started_at !== undefined)
      this.#metrics.job_wait_seconds.observe({ type }, seconds(created_at, started_at));
    if (type === 'run' && status === 'complete' && job.ok === false) this.#metrics.bus_faults_total.inc();
    if (!failure) return;
    this.#metrics.job_failures_total.inc({ type, code: failure.error });
    if (isLinkError(failure.error)) this.#metrics.link_errors_total.inc({ code: failure.error });
  }

  /** A build has ended; `stages` is stage → seconds. */
  onBuild(
    engine: string,
    outcome: 'built' | 'cached' | 'failed',
    stages: Partial<Record<string, number>> = {},
  ) {
    this.#metrics.builds_total.inc({ engine, outcome });
    for (const [stage, took] of Object.entries(stages))
      if (took !== undefined) this.#metrics.build_stage_seconds.observe({ engine, stage }, took);
  }

  /** A design was built with the fallback, Yosys's own reader. */
  onFallback(): void {
    this.#metrics.builds_read_by_fallback_total.inc();
  }

  /** The state was written to disk, or the write failed. */
  onFlush(milliseconds: number): void {
    this.#metrics.store_flush_seconds.observe(milliseconds / 1000);
  }

  /** A request was answered; `route` is the pattern of its path. */
  onRequest(method: string, route: string, status: number, milliseconds: number): void {
    this.#metrics.http_requests_total.inc({ method, route, status: String(status) });
    this.#metrics.http_request_seconds.observe({ method, route }, milliseconds / 1000);
  }
}

/** Codes of the link itself; the others of its area are refusals of a request. */
const isLinkError = (code: string): boolean => code.startsWith('link_') || code === 'not_wishbench';

/** The function that reads all states again. */
function readStates(metrics: Metrics, sources: MetricSources): () => void {
  return () => {
    const { builds, store: healthy } = sources.status();
    metrics.build_slots.set(builds.total);
    metrics.builds_running.set(builds.busy);
    metrics.builds_waiting.set(builds.waiting);
    metrics.store_healthy.set(healthy ? 1 : 0);

    const views = sources.nodes();
    for (const state of FPGA_STATES)
      metrics.nodes.set({ state }, views.filter((node) => node.state === state).length);
    metrics.sessions.set(views.filter(({ session }) => session !== null).length);

    metrics.boards.reset();
    for (const { kind, present, slot } of sources.boards())
      if (slot !== null) metrics.boards.inc({ kind, present: String(present) });

    const open = sources.openJobs();
    for (const type of JOB_TYPES)
      for (const status of ['queued', 'running'])
        metrics.jobs_open.set(
          { type, status },
          open.filter((job) => job.type === type && job.status === status).length,
        );
    const since = open.filter(({ status }) => status === 'queued').map((job) => Date.parse(job.created_at));
    metrics.job_oldest_queued_seconds.set(
      since.length === 0 ? 0 : Math.max(0, (sources.now() - Math.min(...since)) / 1000),
    );

    const { total, lan } = sources.streams();
    metrics.event_streams.set({ from: 'this_computer' }, total - lan);
    metrics.event_streams.set({ from: 'lan' }, lan);

    const { bytes, freeBytes } = sources.space();
    if (bytes !== null) metrics.data_bytes.set(bytes);
    if (freeBytes !== null) metrics.disk_free_bytes.set(freeBytes);
  };
}
