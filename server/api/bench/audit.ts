import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditRecord } from '../../audit/trail.ts';
import type { AuditEntry } from '../../contract/bench/audit.ts';
import { AUDITED, type AuditAction } from '../../contract/bench/audited.ts';
import type { EndpointId } from '../../contract/endpoints.ts';
import type { ApiContext } from '../context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer to an audited request. */
    answered?: unknown;
    /** The error code of a refusal. */
    refusal?: string;
  }
  interface FastifyContextConfig {
    operation?: EndpointId;
  }
}

type Details = AuditEntry['details'];
type Fields = Readonly<Record<string, unknown>>;

/** Equal refusals of one address share one entry a minute. */
const GATHER_MS = 60_000;
/** Addresses and codes counted at the same time. */
const MAX_COUNTED = 1000;
const MAX_TEXT_LENGTH = 256;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Picks loggable values of these fields: short text, numbers and switches. */
function pick(fields: Fields, names: readonly string[]): Details {
  const details: Details = {};
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') details[name] = value.slice(0, MAX_TEXT_LENGTH);
    else if (typeof value === 'number' || typeof value === 'boolean') details[name] = value;
  }
  return details;
}

const hex = (address: number): string => `0x${address.toString(16).padStart(8, '0')}`;

/** The words that a run accesses, without their values: those are private. */
function runDetails({ op, address, data, count, fixed_address: fixed }: Fields): Details {
  if (typeof address !== 'number') return {};
  const words = op === 1 ? (Array.isArray(data) ? data.length : 0) : typeof count === 'number' ? count : 1;
  const last = fixed === true || words === 0 ? address : address + 4 * (words - 1);
  return { op: op === 1 ? 'write' : 'read', first: hex(address), last: hex(last), words };
}

function submitDetails(form: Fields): Details {
  const [file] = Array.isArray(form['files']) ? form['files'] : [];
  const { filename, bytes } = fieldsOf(file);
  return {
    ...(typeof filename === 'string' ? { filename } : {}),
    ...(bytes instanceof Uint8Array ? { bytes: bytes.length } : {}),
  };
}

/** The names of changed settings without their values: some are secrets. */
const settingsDetails = (patch: Fields): Details => ({
  fields: Object.entries(patch)
    .flatMap(([group, fields]) => Object.keys(fieldsOf(fields)).map((name) => `${group}.${name}`))
    .join(', ')
    .slice(0, MAX_TEXT_LENGTH),
});

/** Owner, label and rights of a key or invitation; never the key or the code. */
function keyDetails(params: Fields, body: Fields, answered: Fields): Details {
  const made = fieldsOf(answered['key'] ?? answered['invite']);
  return {
    ...pick(params, ['key_id', 'invite_id']),
    ...pick(body, ['owner']),
    ...pick(answered, ['owner', 'provider_username', 'github_username']),
    ...pick(made, ['label', 'operator', 'expires_at']),
    ...(typeof made['id'] === 'string' ? { [answered['key'] ? 'key_id' : 'invite_id']: made['id'] } : {}),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidOf = (value: unknown): string | null =>
  typeof value === 'string' && UUID.test(value) ? value : null;

/** The owner of the job; the entry's own owner is who cancelled or stopped it. */
const cancelDetails = (jobId: string | null, pool: ApiContext['pool']): Details =>
  jobId !== null && pool.knows(jobId) ? { job_owner: pool.findJob(jobId).owner } : {};

function detailsOf(action: AuditAction, request: FastifyRequest, pool: ApiContext['pool']): Details {
  const body = fieldsOf(request.body);
  const params = fieldsOf(request.params);
  switch (action) {
    case 'submit':
      return submitDetails(body);
    case 'run':
      return runDetails(body);
    case 'settings':
      return settingsDetails(body);
    case 'board':
      return pick(body, ['board', 'definition', 'mode']);
    case 'key':
      return keyDetails(params, body, fieldsOf(request.answered));
    case 'design':
      return pick(params, ['design_id']);
    case 'script':
      return {
        ...pick(body, ['design_id']),
        ...pick(fieldsOf(request.answered), ['passed', 'failed', 'skipped']),
      };
    case 'handover':
      // Taken from the answer: a refused request may contain anything.
      return pick({ to: fieldsOf(request.answered)['owner'] }, ['to']);
    case 'cancel':
    case 'stop':
      return cancelDetails(uuidOf(params['job_id']), pool);
    case 'capture':
      return pick(body, ['action', 'depth']);
    case 'course':
    case 'handin':
      return pick(params, ['course_id', 'username', 'assignment_id']);
    case 'backup':
    case 'control':
    case 'stream':
    case 'request':
    case 'service':
    case 'reset':
    case 'release':
    case 'extend':
      return {};
  }
}

const nodeOf = (value: unknown): number | null => {
  const id = Number(value);
  return value !== undefined && Number.isInteger(id) && id >= 0 && id <= 9 ? id : null;
};

/** Records every audited action and refusal after the answer, so that no caller waits for it. */
export function auditRequests(app: FastifyInstance, { audit, clock, pool }: ApiContext): void {
  const gathered = new Map<string, AuditRecord & { times: number }>();

  const flush = (key: string) => {
    const record = gathered.get(key);
    gathered.delete(key);
    if (record && record.times > 0) audit.add(record);
  };

  /** Records the first refusal at once, and the following ones of a minute as one entry. */
  const gather = (record: AuditRecord) => {
    const key = `${record.from} ${record.action} ${record.code}`;
    const same = gathered.get(key);
    if (same) {
      same.times++;
      return;
    }
    audit.add(record);
    if (gathered.size >= MAX_COUNTED) return;
    gathered.set(key, { ...record, times: 0 });
    clock.after(GATHER_MS, () => flush(key));
  };

  const keep = (request: FastifyRequest, reply: FastifyReply) => {
    const { operation } = request.routeOptions.config;
    const action = operation && AUDITED[operation];
    const { refusal: code = null } = request;
    const turnedAway = reply.statusCode === 401 || reply.statusCode === 403 || reply.statusCode === 429;
    if (action === undefined && !turnedAway) return;
    const params = fieldsOf(request.params);
    const answer = fieldsOf(request.answered);
    const known = action ?? 'request';
    const record: AuditRecord = {
      action: known,
      owner: request.caller?.owner ?? 'anonymous',
      from: request.socket.remoteAddress ?? null,
      operator: request.caller?.operator ?? false,
      fpga_id: nodeOf(params['fpga_id']),
      job_id: uuidOf(answer['job_id']) ?? uuidOf(params['job_id']),
      done: code === null && reply.statusCode < 400,
      code,
      request_id: request.id,
      details:
        code === null
          ? detailsOf(known, request, pool)
          : {
              ...(turnedAway ? {} : detailsOf(known, request, pool)),
              route: request.routeOptions.url ?? 'unknown',
            },
    };
    if (turnedAway) gather(record);
    else audit.add(record);
  };

  app.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.routeOptions.config.operation !== undefined) request.answered = payload;
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    keep(request, reply);
    done();
  });
  app.addHook('onClose', async () => {
    for (const key of [...gathered.keys()]) flush(key);
  });
}
