import { text } from '../../text/text.ts';
import { type Setting, setting } from './draft.ts';

const t = text.settings;

/** A setting that is a whole number, as a person edits it. */
export interface NumberField {
  setting: Setting<number | null>;
  label: string;
  hint?: string;
  unit?: string;
  /** The service's unit in the one that is shown: 1024 for KiB. */
  scale: number;
  /** Limits in the shown unit; the service checks them again. */
  min: number;
  max: number;
  /** What an empty field means, where the service takes null. */
  empty?: string;
}

export const PORT: NumberField = {
  setting: setting('network', 'port'),
  label: t.port,
  hint: t.portHint,
  scale: 1,
  min: 0,
  max: 65_535,
};

export const TLS_PORT: NumberField = {
  setting: setting('network', 'tls_port'),
  label: t.tlsPort,
  hint: t.portHint,
  scale: 1,
  min: 0,
  max: 65_535,
};

/** Ports of the nodes: the field's is that of node 0. */
export const NODE_PORTS: readonly NumberField[] = [
  {
    setting: setting('network', 'stream_port'),
    label: t.streamPort,
    hint: t.nodePortHint,
    scale: 1,
    min: 1024,
    max: 65_526,
    empty: t.closed,
  },
  {
    setting: setting('network', 'etherbone_port'),
    label: t.etherbonePort,
    hint: t.nodePortHint,
    scale: 1,
    min: 1024,
    max: 65_526,
    empty: t.closed,
  },
];

export const LIFETIME: NumberField = {
  setting: setting('auth', 'key_lifetime_days'),
  label: t.lifetime,
  unit: t.days,
  scale: 1,
  min: 1,
  max: 3650,
  empty: t.never,
};

export const SESSION_FIELDS: readonly NumberField[] = [
  {
    setting: setting('sessions', 'ttl_seconds'),
    label: t.ttl,
    hint: t.ttlHint,
    unit: t.seconds,
    scale: 1,
    min: 10,
    max: 604_800,
  },
];

export const LIMIT_FIELDS: readonly NumberField[] = [
  {
    setting: setting('limits', 'upload_bytes'),
    label: t.upload,
    unit: 'KiB',
    scale: 1024,
    min: 1,
    max: 65_536,
  },
  { setting: setting('limits', 'words_per_run'), label: t.words, scale: 1, min: 1, max: 1_048_576 },
  { setting: setting('limits', 'log_bytes'), label: t.log, unit: 'KiB', scale: 1024, min: 4, max: 262_144 },
  { setting: setting('limits', 'jobs_per_node'), label: t.jobs, scale: 1, min: 10, max: 100_000 },
  {
    setting: setting('limits', 'jobs_bytes'),
    label: t.jobsBytes,
    unit: 'MiB',
    scale: 2 ** 20,
    min: 16,
    max: 2 ** 20,
  },
  {
    setting: setting('limits', 'job_days'),
    label: t.jobDays,
    unit: t.days,
    scale: 1,
    min: 1,
    max: 3650,
    empty: t.never,
  },
  { setting: setting('limits', 'requests_per_minute'), label: t.requests, scale: 1, min: 10, max: 1_000_000 },
];

export const AUDIT_FIELDS: readonly NumberField[] = [
  {
    setting: setting('audit', 'bytes'),
    label: t.auditBytes,
    unit: 'MiB',
    scale: 1 << 20,
    min: 4,
    max: 65_536,
  },
  { setting: setting('audit', 'days'), label: t.auditDays, hint: t.auditHint, scale: 1, min: 1, max: 36_500 },
];

export const TOOLCHAIN_FIELDS: readonly NumberField[] = [
  {
    setting: setting('toolchain', 'build_slots'),
    label: t.slots,
    scale: 1,
    min: 1,
    max: 64,
    empty: t.automatic,
  },
  {
    setting: setting('toolchain', 'queue_limit'),
    label: t.queueLimit,
    scale: 1,
    min: 1,
    max: 1_000_000,
  },
  {
    setting: setting('toolchain', 'queue_limit_per_owner'),
    label: t.queueLimitPerOwner,
    scale: 1,
    min: 1,
    max: 1_000_000,
  },
  {
    setting: setting('toolchain', 'queue_running_per_owner'),
    label: t.queueRunningPerOwner,
    scale: 1,
    min: 1,
    max: 1_000_000,
    empty: t.anyNumber,
  },
  {
    setting: setting('toolchain', 'stage_deadline_seconds'),
    label: t.deadline,
    unit: t.seconds,
    scale: 1,
    min: 5,
    max: 86_400,
  },
  {
    setting: setting('toolchain', 'memory_bytes'),
    label: t.memory,
    unit: 'MiB',
    scale: 1 << 20,
    min: 256,
    max: 65_536,
  },
  {
    setting: setting('toolchain', 'cache_bytes'),
    label: t.cache,
    unit: 'MiB',
    scale: 1 << 20,
    min: 0,
    max: 1024,
  },
];

/** What a person sees of a stored number; more digits only where the stored value is no whole multiple. */
export function shownNumber(field: NumberField, value: number | null): string {
  if (value === null) return '';
  const scaled = value / field.scale;
  return Number.isInteger(scaled) ? String(scaled) : scaled.toFixed(3);
}

/** The stored number of what was typed, or why it is none. */
export function parseNumber(
  field: NumberField,
  typed: string,
): { value: number | null } | { problem: string } {
  const trimmed = typed.trim();
  if (trimmed === '' && field.empty !== undefined) return { value: null };
  if (!/^\d+(\.\d+)?$/.test(trimmed)) return { problem: t.notNumber };
  const number = Number(trimmed);
  const stored = number * field.scale;
  if (field.scale === 1 && !Number.isInteger(number)) return { problem: t.notNumber };
  if (number < field.min || number > field.max)
    return { problem: t.outOfRange(String(field.min), String(field.max)) };
  return { value: Math.round(stored) };
}

const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** Lines of a text, without empty ones. */
export const toLines = (typed: string): string[] =>
  typed
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const hostsProblem = (hosts: readonly string[]): string | undefined =>
  hosts.every((host) => HOST.test(host)) ? undefined : t.hostsProblem;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why an address cannot be a provider's. */
export function urlProblem(address: string): string | undefined {
  if (address.trim() === '') return t.required;
  if (!URL.canParse(address)) return t.urlProblem;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname)) ? undefined : t.urlProblem;
}
