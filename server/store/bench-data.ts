import { NODE_COUNT } from '../contract/boards/node-count.ts';
import type { ActivityEntry } from '../contract/nodes/activity.ts';
import {
  isActivityEntry,
  isStoredJob,
  isStoredNode,
  isStoredUnplacedJob,
  type StoredJob,
  type StoredNode,
  type StoredUnplacedJob,
} from './records.ts';

/** The contents of bench.json: only what changes with acknowledgements. */
export interface BenchData {
  nodes: StoredNode[];
  /** Jobs that have not ended, and those whose end is not in their node's history yet, by id. */
  jobs: Map<string, StoredJob>;
  /** Jobs without a node by id: waiting ones, and the newest that ended before they had one. */
  unplaced: Map<string, StoredUnplacedJob>;
  /** The newest activity of each node, in order. */
  activity: ActivityEntry[];
  /** The last `seq` that was used. */
  seq: number;
}

/** Version of bench.json and of the histories. */
export const SCHEMA_VERSION = 2;

type File = Record<string, unknown>;

/** Default lifetime of a session without a run when version 1 was written, ms. */
const LIFE_OF_VERSION_1 = 3_600_000;

/** Version 2 stores how much of a session is left at a moment, so that setting a clock can't end it. */
function withLeases(file: File): File {
  const { nodes } = file;
  if (!Array.isArray(nodes)) return file;
  const leased = nodes.map((node: unknown) => {
    if (!isObject(node) || !isObject(node['session'])) return node;
    const expires = Date.parse(String(node['session']['expires_at']));
    if (Number.isNaN(expires)) return node;
    const at = new Date(expires - LIFE_OF_VERSION_1).toISOString();
    return { ...node, lease: { left_ms: LIFE_OF_VERSION_1, at, boot: null, uptime_ms: 0 } };
  });
  return { ...file, nodes: leased };
}

/** Migrations from version n to n + 1, at index n: each takes and returns the parsed file. */
const MIGRATIONS: Readonly<Record<number, (file: File) => File>> = { 1: withLeases };

export const emptyNode = (fpgaId: number): StoredNode => ({
  fpga_id: fpgaId,
  state: 'idle',
  session: null,
  lease: null,
  error: null,
  design: null,
});

export const emptyBench = (): BenchData => ({
  nodes: Array.from({ length: NODE_COUNT }, (_, fpgaId) => emptyNode(fpgaId)),
  jobs: new Map(),
  unplaced: new Map(),
  activity: [],
  seq: 0,
});

export type ParsedBench =
  | { kind: 'whole'; data: BenchData }
  /**
   * Some records were readable. `lost` names the others, as the end of a sentence; `replaced` names what came from the
   * previous generation.
   */
  | { kind: 'partial'; data: BenchData; lost: string; replaced: string }
  | { kind: 'damaged' }
  | { kind: 'too_new'; version: number };

const isObject = (value: unknown): value is File =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the records of a file with a broken frame: formatBench writes one a line. Null where none is readable. */
function salvage(text: string): { file: File; broken: number } | null {
  const [, schema, seq] = /"schema":(\d+),"seq":(\d+)/.exec(text) ?? [];
  const nodes: unknown[] = [];
  const jobs: unknown[] = [];
  let broken = 0;
  for (const line of text.split('\n').slice(1)) {
    const start = line.indexOf('{');
    if (start < 0) continue;
    const record = parseJson(line.slice(start).replace(/,$/, ''));
    if (!isObject(record)) broken++;
    else (isObject(record['job']) ? jobs : nodes).push(record);
  }
  if (nodes.length + jobs.length === 0) return null;
  // The first line is unreadable, but only this version writes one record a line.
  const unplaced = jobs.filter(isStoredUnplacedJob);
  const placed = jobs.filter((record) => !isStoredUnplacedJob(record));
  return {
    file: { schema: Number(schema ?? SCHEMA_VERSION), seq: Number(seq ?? 0), nodes, jobs: placed, unplaced },
    broken,
  };
}

/**
 * Parses bench.json of this or an earlier version and checks every record. Unreadable records come from `previous`, the
 * generation before, where it has them.
 */
export function parseBench(
  text: string,
  previous: string | null = null,
  migrations = MIGRATIONS,
  version = SCHEMA_VERSION,
): ParsedBench {
  const whole = parseJson(text);
  const part = isObject(whole) ? { file: whole, broken: 0 } : salvage(text);
  const written = part?.file['schema'];
  if (part === null || typeof written !== 'number' || !Number.isInteger(written)) return { kind: 'damaged' };
  if (written > version) return { kind: 'too_new', version: written };
  let { file } = part;
  for (let from = written; from < version; from++) {
    const migrate = migrations[from];
    if (!migrate) return { kind: 'damaged' };
    file = migrate(file);
  }
  const { nodes, jobs, seq }: { nodes?: unknown; jobs?: unknown; seq?: unknown } = file;
  // Earlier versions had none.
  const unplaced: unknown = file['unplaced'] ?? [];
  if (!Array.isArray(nodes) || !Array.isArray(jobs) || !Array.isArray(unplaced)) return { kind: 'damaged' };

  const data = emptyBench();
  const found = new Set<number>();
  for (const node of nodes) {
    if (!isStoredNode(node) || found.has(node.fpga_id)) continue;
    found.add(node.fpga_id);
    data.nodes[node.fpga_id] = node;
  }
  let lostJobs = 0;
  for (const job of jobs) {
    if (isStoredJob(job) && !data.jobs.has(job.job.job_id)) data.jobs.set(job.job.job_id, job);
    else lostJobs++;
  }
  for (const one of unplaced) {
    if (isStoredUnplacedJob(one) && !data.jobs.has(one.job.job_id)) data.unplaced.set(one.job.job_id, one);
    else lostJobs++;
  }
  const activity: unknown = file['activity'];
  // Activity is history: damage to it changes nothing.
  if (Array.isArray(activity)) data.activity = activity.filter(isActivityEntry);
  const missing = data.nodes.filter(({ fpga_id }) => !found.has(fpga_id)).map(({ fpga_id }) => fpga_id);
  // A broken line was a node, where one is missing, or a job.
  lostJobs += Math.max(0, part.broken - missing.length);
  const lost = missing.map((fpgaId) => `node ${fpgaId}`);
  if (lostJobs > 0) lost.push(`${lostJobs} of its jobs`);
  const replaced = lost.length > 0 ? refill(data, missing, lostJobs > 0, previous) : [];
  data.seq = Math.max(
    data.seq,
    typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : 0,
    ...[...data.jobs.values(), ...data.unplaced.values()].map((job) => job.seq),
  );
  if (lost.length === 0 && isObject(whole)) return { kind: 'whole', data };
  return { kind: 'partial', data, lost: lost.join(', '), replaced: replaced.join(', ') };
}

/** Fills gaps from the previous generation; returns what it filled, for a sentence. */
function refill(data: BenchData, nodes: number[], jobs: boolean, previous: string | null): string[] {
  const before = previous === null ? null : parseBench(previous);
  if (before === null || !('data' in before)) return [];
  const replaced: string[] = [];
  for (const fpgaId of nodes) {
    data.nodes[fpgaId] = before.data.nodes[fpgaId] as StoredNode;
    replaced.push(`node ${fpgaId}`);
  }
  let restored = 0;
  for (const kind of jobs ? (['unplaced', 'jobs'] as const) : [])
    for (const [id, job] of before.data[kind]) {
      if (data.jobs.has(id) || data.unplaced.has(id)) continue;
      (data[kind] as Map<string, StoredJob | StoredUnplacedJob>).set(id, job);
      restored++;
    }
  if (restored > 0) replaced.push(restored === 1 ? 'one job' : `${restored} jobs`);
  data.seq = Math.max(data.seq, before.data.seq);
  return replaced;
}

/** Records are replaced and never changed in place, so a cached text stays right. */
const texts = new WeakMap<object, string>();

function text(record: object): string {
  let known = texts.get(record);
  if (known === undefined) {
    known = JSON.stringify(record);
    texts.set(record, known);
  }
  return known;
}

/** bench.json as text: one record a line, so that a person can read and compare it. */
export function formatBench(data: BenchData): string {
  const nodes = data.nodes.map(text).join(',\n');
  const jobs = [...data.jobs.values()].map(text).join(',\n');
  const unplaced = [...data.unplaced.values()].map(text).join(',\n');
  // Omitted where there is none: the file is then the same as that of an earlier version.
  const activity = data.activity.map(text).join(',\n');
  const rest =
    (unplaced === '' ? '' : `,"unplaced":[\n${unplaced}\n]`) +
    (activity === '' ? '' : `,"activity":[\n${activity}\n]`);
  return `{"schema":${SCHEMA_VERSION},"seq":${data.seq},"nodes":[\n${nodes}\n],"jobs":[\n${jobs}\n]${rest}}\n`;
}

/** One record of a history file. */
export const formatRecord = (record: StoredJob): string => text(record);
