import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditRecord } from '../../audit/trail.ts';
import type { AuditEntry } from '../../contract/bench/audit.ts';
import { AUDITED, type AuditAction } from '../../contract/bench/audited.ts';
import type { EndpointId } from '../../contract/endpoints.ts';
import type { ApiContext } from '../context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What an audited request was answered with. */
    answered?: unknown;
    /** The code that it was refused with. */
    refusal?: string;
  }
  interface FastifyContextConfig {
    operation?: EndpointId;
  }
}

type Details = AuditEntry['details'];
type Fields = Readonly<Record<string, unknown>>;

/** Refusals of one kind from one address are one entry a minute, however many there are. */
const GATHER_MS = 60_000;
/** Addresses and codes that are counted at the same time. */
const MAX_COUNTED = 1000;
const MAX_TEXT_LENGTH = 256;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Of these fields, what is worth a line: short text, numbers and switches. */
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

/** Which words a run goes to; the words themselves are nobody's business. */
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

/** Names of the settings that were sent, not their values: some are secrets of a lab. */
const settingsDetails = (patch: Fields): Details => ({
  fields: Object.entries(patch)
    .flatMap(([group, fields]) => Object.keys(fieldsOf(fields)).map((name) => `${group}.${name}`))
    .join(', ')
    .slice(0, MAX_TEXT_LENGTH),
});

/** Whose key or invitation, what for and with which rights; never the key, never the code. */
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

/** Whose job it was: who cancelled or stopped it is the entry's owner. */
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
        ...pick(fieldsOf(request.answered), ['passed', 'failed', 'left_out']),
      };
    case 'handover':
      // As it was answered: what was refused may hold anything.
      return pick({ to: fieldsOf(request.answered)['owner'] }, ['to']);
    case 'cancel':
    case 'stop':
      return cancelDetails(uuidOf(params['job_id']), pool);
    case 'capture':
      return pick(body, ['action', 'depth']);
    case 'control':
    case 'stream':
    case 'request':
    case 'service':
    case 'reset':
    case 'release':
      return {};
  }
}

const nodeOf = (value: unknown): number | null => {
  const id = Number(value);
  return value !== undefined && Number.isInteger(id) && id >= 0 && id <= 9 ? id : null;
};

/** Writes down who did what, and who was refused: after the answer, so that nobody waits for it. */
export function auditRequests(app: FastifyInstance, { audit, clock, pool }: ApiContext): void {
  const gathered = new Map<string, AuditRecord & { times: number }>();

  const flush = (key: string) => {
    const record = gathered.get(key);
    gathered.delete(key);
    if (record && record.times > 0) audit.add(record);
  };

  /** The first at once, the ones after it within a minute as one. */
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
