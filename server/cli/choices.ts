import type { MapFormat } from '../contract/designs/register-map.ts';
import type { JobStatus, JobType } from '../contract/jobs/jobs.ts';
import type { ScriptExport } from '../contract/jobs/scripts.ts';

/** Words of options. They are here because the contract's own lists load the schema library. */
export const JOB_STATUS_NAMES = [
  'queued',
  'running',
  'complete',
  'failed',
  'cancelled',
] as const satisfies readonly JobStatus[];

export const JOB_TYPE_NAMES = ['build_and_program', 'run', 'reset'] as const satisfies readonly JobType[];

export const WORD_FORMATS = ['hex', 'dec', 'bin'] as const;
export const FILE_FORMATS = ['raw', 'hex'] as const;
export const SCRIPT_FORMATS = ['curl', 'py', 'ts'] as const satisfies readonly ScriptExport[];
export const MAP_FORMAT_NAMES = [
  'json',
  'csv',
  'svd',
  'ipxact',
  'csr.json',
  'csr.csv',
] as const satisfies readonly MapFormat[];
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Forms of the log: lines for people, or one JSON object per line for programs. */
export const LOG_FORMATS = ['lines', 'json'] as const;
export const LOG_FORMAT_HELP = 'form of the log; by default lines on a terminal, json elsewhere';
