import { NODE_COUNT } from '../contract/boards.ts';
import type { Failure } from '../contract/diagnostics.ts';
import type { Job } from '../contract/jobs.ts';
import type { FpgaState, Session } from '../contract/nodes.ts';
import { isStoredJob, isStoredNode } from './record-checks.ts';

/** A node as bench.json keeps it. Records are replaced, never changed in place. */
export interface StoredNode {
  readonly fpga_id: number;
  readonly state: FpgaState;
  readonly session: Session | null;
  readonly error: Failure | null;
  readonly design: StoredDesign | null;
}

/** The design on the board of a reserved node. */
export interface StoredDesign {
  readonly filename: string;
  readonly build_id: string;
  readonly module: string;
  /** The job that built it. */
  readonly job_id: string;
  /** The catalogue's id of the board that it was built for. */
  readonly board: string;
}

/** A job as bench.json and the histories keep it. Records are replaced, never changed in place. */
export interface StoredJob {
  readonly job: Job;
  /** Counts acceptances of the whole bench: the order of jobs. */
  readonly seq: number;
  /** Words to write, little-endian, Base64, where they are few; else the job's file `request`. */
  readonly data?: string;
  /** Words read, in the same form; else the job's file `result`. */
  readonly result?: string;
}

/** What bench.json holds: what changes with every acknowledgement, and nothing else. */
export interface BenchData {
  nodes: StoredNode[];
  /** Jobs that have not ended, and those whose end is not in their node's history yet, by id. */
  jobs: Map<string, StoredJob>;
  /** The last `seq` that was given out. */
  seq: number;
}

/** Version of bench.json and of the histories. */
export const SCHEMA_VERSION = 1;

/** From version n to n + 1, at index n: takes and returns the parsed file. */
export const MIGRATIONS: Readonly<
  Record<number, (file: Record<string, unknown>) => Record<string, unknown>>
> = {};

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

/** Reads bench.json, of this version or an earlier one, and checks every record in it. */
export function parseBench(text: string, migrations = MIGRATIONS, version = SCHEMA_VERSION): ParsedBench {
  let file: Record<string, unknown>;
  try {
    file = JSON.parse(text);
  } catch {
    return { kind: 'damaged' };
  }
  if (typeof file !== 'object' || file === null || !Number.isInteger(file.schema)) return { kind: 'damaged' };
  if ((file.schema as number) > version) return { kind: 'too_new', version: file.schema as number };
  for (let from = file.schema as number; from < version; from++) {
    const migrate = migrations[from];
    if (!migrate) return { kind: 'damaged' };
    file = migrate(file);
  }
  if (!Array.isArray(file.nodes) || !Array.isArray(file.jobs)) return { kind: 'damaged' };

  const data = emptyBench();
  const found = new Set<number>();
  for (const node of file.nodes) {
    if (!isStoredNode(node) || found.has(node.fpga_id)) continue;
    found.add(node.fpga_id);
    data.nodes[node.fpga_id] = node;
  }
  let lostJobs = 0;
  for (const job of file.jobs) {
    if (isStoredJob(job) && !data.jobs.has(job.job.job_id)) data.jobs.set(job.job.job_id, job);
    else lostJobs++;
  }
  data.seq = Math.max(
    Number.isSafeInteger(file.seq) ? (file.seq as number) : 0,
    ...[...data.jobs.values()].map(({ seq }) => seq),
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
