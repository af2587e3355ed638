import { NODE_COUNT } from '../contract/boards.ts';
import { isStoredJob, isStoredNode, type StoredJob, type StoredNode } from './records.ts';

/** What bench.json holds: what changes with every acknowledgement, and nothing else. */
export interface BenchData {
  nodes: StoredNode[];
  /** Jobs that have not ended, and those whose end is not in their node's history yet, by id. */
  jobs: Map<string, StoredJob>;
  /** The last `seq` that was given out. */
  seq: number;
}

/** Version of bench.json and of the histories. */
const SCHEMA_VERSION = 1;

/** From version n to n + 1, at index n: takes and returns the parsed file. */
const MIGRATIONS: Readonly<Record<number, (file: Record<string, unknown>) => Record<string, unknown>>> = {};

export const emptyNode = (fpgaId: number): StoredNode => ({
  fpga_id: fpgaId,
  state: 'idle',
  session: null,
  error: null,
  design: null,
});

export const emptyBench = (): BenchData => ({
  nodes: Array.from({ length: NODE_COUNT }, (_, fpgaId) => emptyNode(fpgaId)),
  jobs: new Map(),
  seq: 0,
});

export type ParsedBench =
  | { kind: 'whole'; data: BenchData }
  /** Some records could be read; `lost` says what could not, as the end of a sentence. */
  | { kind: 'partial'; data: BenchData; lost: string }
  | { kind: 'damaged' }
  | { kind: 'too_new'; version: number };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Reads bench.json, of this version or an earlier one, and checks every record in it. */
export function parseBench(text: string, migrations = MIGRATIONS, version = SCHEMA_VERSION): ParsedBench {
  let file = parseObject(text);
  const written = file?.['schema'];
  if (file === null || typeof written !== 'number' || !Number.isInteger(written)) return { kind: 'damaged' };
  if (written > version) return { kind: 'too_new', version: written };
  for (let from = written; from < version; from++) {
    const migrate = migrations[from];
    if (!migrate) return { kind: 'damaged' };
    file = migrate(file);
  }
  const { nodes, jobs, seq }: { nodes?: unknown; jobs?: unknown; seq?: unknown } = file;
  if (!Array.isArray(nodes) || !Array.isArray(jobs)) return { kind: 'damaged' };

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
  data.seq = Math.max(
    typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : 0,
    ...[...data.jobs.values()].map((job) => job.seq),
  );
  const lost = data.nodes
    .filter(({ fpga_id }) => !found.has(fpga_id))
    .map(({ fpga_id }) => `node ${fpga_id}`);
  if (lostJobs > 0) lost.push(`${lostJobs} of its jobs`);
  if (lost.length === 0) return { kind: 'whole', data };
  return { kind: 'partial', data, lost: lost.join(', ') };
}

/** Records are never changed in place, so the text of one that has not been replaced is still right. */
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
  return `{"schema":${SCHEMA_VERSION},"seq":${data.seq},"nodes":[\n${nodes}\n],"jobs":[\n${jobs}\n]}\n`;
}

/** One record of a history file. */
export const formatRecord = (record: StoredJob): string => text(record);
