import { NODE_COUNT } from '../contract/boards.ts';
import type { Failure } from '../contract/diagnostics.ts';
import { JOB_STATUSES, JOB_TYPES, type RunDetails, type SubmitDetails } from '../contract/jobs.ts';
import { FPGA_STATES, type Session } from '../contract/nodes.ts';
import type { StoredDesign, StoredJob, StoredNode } from './bench-data.ts';

// Written out by hand: at a start some thousand records are checked, and an interpreted schema took a hundred
// milliseconds for them where this takes a few.

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BUILD_ID = /^[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isText: Check = (value) => typeof value === 'string';
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const oneOf = (values: readonly unknown[]): Check => {
  const set = new Set(values);
  return (value) => set.has(value);
};
const integer =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
const isTruth: Check = (value) => typeof value === 'boolean';
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** Checks the named fields of an object; every field of T has to be named, so none is forgotten. */
function object<T>(fields: { [K in keyof T]-?: Check }): Check {
  const checks = Object.entries(fields) as [string, Check][];
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    for (const [name, check] of checks) if (!check((value as Fields)[name])) return false;
    return true;
  };
}

const isUuid = matches(UUID);
const isTime = matches(TIME);
const isFpgaId = integer(0, NODE_COUNT - 1);
const isAddress: Check = (value) => integer(0, 0xffff_fffc)(value) && (value as number) % 4 === 0;

const isFailure = object<Failure>({ error: isText, message: isText, remedy: isText });
const isSession = object<Session>({
  session_id: isUuid,
  fpga_id: isFpgaId,
  owner: isText,
  expires_at: isTime,
});
const isDesign = object<StoredDesign>({
  filename: isText,
  build_id: matches(BUILD_ID),
  module: isText,
  job_id: isUuid,
  board: isText,
});
const isNode = object<StoredNode>({
  fpga_id: isFpgaId,
  state: oneOf(FPGA_STATES),
  session: nullable(isSession),
  error: nullable(isFailure),
  design: nullable(isDesign),
});
const isSubmit = object<SubmitDetails>({
  filename: isText,
  size: integer(0),
  options: (value) => typeof value === 'object' && value !== null,
});
const isRun = object<RunDetails>({
  op: oneOf([1, 2]),
  address: isAddress,
  count: integer(0),
  fixed_address: isTruth,
});
const isJob = object<StoredJob['job']>({
  job_id: isUuid,
  fpga_id: isFpgaId,
  type: oneOf(JOB_TYPES),
  status: oneOf(JOB_STATUSES),
  created_at: isTime,
  updated_at: isTime,
  started_at: optional(isTime),
  owner: isText,
  stage: optional(isText),
  fraction: optional((value) => typeof value === 'number'),
  submit: optional(isSubmit),
  run: optional(isRun),
  failure: optional(isFailure),
  build_id: optional(matches(BUILD_ID)),
  cached: optional(isTruth),
  ok: optional(isTruth),
  summary: optional(isText),
});
const isStored = object<StoredJob>({
  job: isJob,
  seq: integer(0),
  data: optional(isText),
  result: optional(isText),
});

export const isStoredJob = (value: unknown): value is StoredJob => isStored(value);

/** The state says what else must be there: a reserved node without its design cannot be continued. */
export const isStoredNode = (value: unknown): value is StoredNode =>
  isNode(value) && ((value as StoredNode).state !== 'reserved' || (value as StoredNode).design !== null);
