import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface MetricEntry {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
}

/** Every metric of the bench, without its prefix. docs/operations.md lists them. */
export const METRICS = {
  info: { kind: 'gauge', help: 'Version of the service.', labels: ['version'] },
  jobs_total: {
    kind: 'counter',
    help: 'Jobs that have ended since the start, by type and outcome.',
    labels: ['type', 'outcome'],
  },
  job_failures_total: {
    kind: 'counter',
    help: 'Failed jobs by code of the error catalogue.',
    labels: ['type', 'code'],
  },
  link_errors_total: {
    kind: 'counter',
    help: 'Jobs that failed because of the link to the board, by code. There are no silent retries.',
    labels: ['code'],
  },
  bus_faults_total: { kind: 'counter', help: 'Runs that the design did not acknowledge.', labels: [] },
  job_seconds: { kind: 'histogram', help: 'From the acceptance of a job to its end.', labels: ['type'] },
  job_wait_seconds: {
    kind: 'histogram',
    help: 'From the acceptance of a job to its beginning.',
    labels: ['type'],
  },
  builds_total: {
    kind: 'counter',
    help: 'Builds by engine and outcome: built, cached or failed.',
    labels: ['engine', 'outcome'],
  },
  builds_read_by_fallback_total: {
    kind: 'counter',
    help: "Builds, not from the cache, of designs that slang refuses and Yosys's own reader takes.",
    labels: [],
  },
  build_stage_seconds: {
    kind: 'histogram',
    help: 'Stages of builds that did not come from the cache.',
    labels: ['engine', 'stage'],
  },
  store_flush_seconds: {
    kind: 'histogram',
    help: 'Writes of the state to disk, with the wait for the disk.',
    labels: [],
  },
  http_requests_total: {
    kind: 'counter',
    help: 'Answered requests by pattern of the route and status.',
    labels: ['method', 'route', 'status'],
  },
  http_request_seconds: {
    kind: 'histogram',
    help: 'From a request to the end of its answer, long polls and streams included.',
    labels: ['method', 'route'],
  },
  nodes: { kind: 'gauge', help: 'Nodes by state.', labels: ['state'] },
  boards: {
    kind: 'gauge',
    help: 'Boards in slots, by kind and whether they are present.',
    labels: ['kind', 'present'],
  },
  sessions: { kind: 'gauge', help: 'Sessions that hold a node.', labels: [] },
  jobs_open: {
    kind: 'gauge',
    help: 'Jobs that have not ended, by type and status.',
    labels: ['type', 'status'],
  },
  job_oldest_queued_seconds: {
    kind: 'gauge',
    help: 'Age of the job that has been queued longest.',
    labels: [],
  },
  event_streams: { kind: 'gauge', help: 'Open event streams, by where they come from.', labels: ['from'] },
  build_slots: { kind: 'gauge', help: 'Builds that can run at once.', labels: [] },
  builds_running: { kind: 'gauge', help: 'Builds that run.', labels: [] },
  builds_waiting: { kind: 'gauge', help: 'Builds that wait for a slot.', labels: [] },
  store_healthy: { kind: 'gauge', help: '1 while the data directory can be written.', labels: [] },
  data_bytes: { kind: 'gauge', help: 'Size of the data directory.', labels: [] },
  disk_free_bytes: { kind: 'gauge', help: 'Free space on the disk of the data directory.', labels: [] },
} as const satisfies Record<string, MetricEntry>;

type Made<E extends MetricEntry> = E extends { kind: 'counter' }
  ? Counter<E['labels'][number]>
  : E extends { kind: 'gauge' }
    ? Gauge<E['labels'][number]>
    : Histogram<E['labels'][number]>;
export type Metrics = { readonly [N in keyof typeof METRICS]: Made<(typeof METRICS)[N]> };

const KINDS = { counter: Counter, gauge: Gauge, histogram: Histogram };

/** Seconds: from a cached answer to a build of minutes. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Makes every metric of the table. */
export function makeMetrics(registry: Registry): Metrics {
  const made = Object.entries<MetricEntry>(METRICS).map(([name, { kind, help, labels }]) => {
    const options = { name: `wishbench_${name}`, help, labelNames: labels, registers: [registry] };
    return [name, new KINDS[kind]({ ...options, ...(kind === 'histogram' ? { buckets: SECONDS } : {}) })];
  });
  return Object.fromEntries(made) as Metrics;
}
