import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FORWARDED_BY } from '../../benches/remote-bench.ts';
import type { AnyJob } from '../../contract/jobs/jobs.ts';
import type { Session } from '../../contract/nodes/nodes.ts';
import type { Access, Route } from '../../contract/route.ts';
import { authError } from '../../errors/auth.ts';
import { MAX_OWNER_LENGTH, UNPRINTABLE } from '../../identity/names.ts';
import { type KeyRecord, looksMinted } from '../../identity/records.ts';
import { withMarks } from '../../text.ts';
import type { ApiContext } from '../context.ts';
import { originOfRequest, THIS_COMPUTER } from './address.ts';
import { asksToView } from './upgrades.ts';

/** The sender of a request. */
export interface Caller {
  /** Recorded as owner of jobs and sessions. */
  owner: string;
  /** The key record, when a valid key was sent. */
  key: KeyRecord | null;
  /** A key was sent, valid or not. */
  sentKey: boolean;
  /** X-Session-ID as sent. */
  sessionId: string | null;
  /** Sent the operator token. */
  operatorToken: boolean;
  /** Proved to be the operator, by the token or by a key with that right. Being on this computer is no proof. */
  provenOperator: boolean;
  /** May change settings and boards. */
  operator: boolean;
  /** On this computer. */
  loopback: boolean;
  /** The address or network of the caller; see originOf. */
  origin: string;
  /** The name for limits: its key, else its origin. */
  countedAs: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    access?: Access;
    holder?: Route['holder'];
    uncompressed?: Route['uncompressed'];
  }
}

/** Replaces a session id for callers who don't hold the session. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const header = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? value : (value?.[0] ?? null);

/** Node reads headers as Latin-1, but nearly every client sends names as UTF-8. */
function utf8(text: string): string {
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}

/**
 * The header's text as a name: one printable line, cut to length, with direction marks escaped. Never a key, not even a
 * revoked one.
 */
function ownerOf(text: string | null): string {
  if (text === null || looksMinted(text)) return 'anonymous';
  const printable = withMarks(utf8(text)).replace(new RegExp(UNPRINTABLE, 'gu'), '').trim();
  const bounded = [...printable].slice(0, MAX_OWNER_LENGTH).join('');
  return bounded === '' ? 'anonymous' : bounded;
}

const same = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/** Identifies the caller from headers and address; the operator token is not checked here. */
export function identify(context: ApiContext, request: FastifyRequest): Caller {
  const origin = originOfRequest(request);
  // A request that another bench forwards may come from anywhere, so it is not local.
  const loopback = origin === THIS_COMPUTER && request.headers[FORWARDED_BY] === undefined;
  const token = header(request.headers['x-operator-token']);
  const text = header(request.headers['x-api-key']);
  const key = text === null ? null : context.keys.find(text.trim());
  return {
    owner: key?.username ?? ownerOf(text),
    key,
    sentKey: text !== null && text.trim() !== '',
    sessionId: header(request.headers['x-session-id']),
    operatorToken: token !== null,
    provenOperator: token !== null || key?.operator === true,
    operator: token !== null || key?.operator === true || (context.operatorToken === null && loopback),
    loopback,
    origin,
    countedAs: key?.id ?? origin,
  };
}

/**
 * Checks an operator token. A person may have chosen it, so it is not compared at all for an address with too many
 * wrong guesses. On this computer it always is.
 * @throws BenchError invalid_operator_token, too_many_guesses.
 */
export function checkToken(context: ApiContext, request: FastifyRequest, reply: FastifyReply): void {
  const { caller } = request;
  const token = header(request.headers['x-operator-token']);
  if (token === null) return;
  const compare = caller.loopback || !context.limits.mustWait(caller.origin);
  if (compare && context.operatorToken !== null && same(token, context.operatorToken)) return;
  context.limits.requirePatience(caller.origin, reply);
  throw authError('invalid_operator_token');
}

/** True while callers of key routes must prove their identity. */
export const isEnforced = (context: ApiContext): boolean =>
  context.enforcement.beginning || context.settings.current.auth.enforcement;

/**
 * Refuses a caller who needs a valid key and has none. A valid key passes even from an address with too many wrong
 * guesses. Its 256 random bits can't be guessed, and other users behind the same router or proxy must not suffer.
 * @throws BenchError missing_api_key, invalid_api_key, too_many_guesses.
 */
export function refuseWithoutKey(context: ApiContext, caller: Caller, reply: FastifyReply): never {
  if (!caller.sentKey) throw authError('missing_api_key');
  context.limits.requirePatience(caller.origin, reply);
  throw authError('invalid_api_key');
}

/** @throws BenchError when the caller may not use a route of this kind. */
export function admit(context: ApiContext, caller: Caller, access: Access, reply: FastifyReply): void {
  if (access === 'open') return;
  if (access === 'operator') {
    if (caller.operator) return;
    admit(context, caller, 'key', reply);
    throw authError('operator_only');
  }
  if (!needsKey(context, caller, access) || caller.key || caller.operatorToken) return;
  refuseWithoutKey(context, caller, reply);
}

/** Whether the caller must prove its identity. */
const needsKey = (context: ApiContext, caller: Caller, access: Access): boolean =>
  access === 'local' ? !caller.loopback : isEnforced(context);

/**
 * Checks a caller's rights again: when its body has arrived, and during every long response.
 * @throws BenchError invalid_api_key when its key was revoked or has expired; missing_api_key when one is needed now.
 */
export function requireStillAdmitted(context: ApiContext, caller: Caller, access: Access): void {
  if (caller.key && !context.keys.isValid(caller.key)) throw authError('invalid_api_key');
  if (access === 'key' && isEnforced(context) && !caller.key && !caller.operatorToken)
    throw authError('missing_api_key');
}

/** True when the caller may act on the node that the session holds, or enforcement is off. */
function holds(context: ApiContext, caller: Caller, session: Session | null): boolean {
  if (!isEnforced(context) || caller.provenOperator || session === null) return true;
  return caller.key?.username === session.owner || caller.sessionId === session.session_id;
}

/** @throws BenchError not_session_holder. */
export function requireHolder(context: ApiContext, caller: Caller, fpgaId: number): void {
  if (!holds(context, caller, context.pool.node(fpgaId).session)) throw authError('not_session_holder');
}

/**
 * A job belongs to its owner and to the holder of its node. No other caller may cancel it or follow its log.
 * @throws BenchError not_session_holder.
 */
export function requireJobHolder(context: ApiContext, caller: Caller, job: AnyJob): void {
  if (!isEnforced(context) || caller.provenOperator) return;
  if (caller.key?.username === job.owner) return;
  const session = job.fpga_id === null ? null : context.pool.node(job.fpga_id).session;
  if (session !== null && holds(context, caller, session)) return;
  throw authError('not_session_holder');
}

/** A remote job belongs to its owner. @throws BenchError not_session_holder. */
function requireAwayOwner(context: ApiContext, caller: Caller, owner: string): void {
  if (!isEnforced(context) || caller.provenOperator || caller.key?.username === owner) return;
  throw authError('not_session_holder');
}

/**
 * Only its owner may change a design's documents.
 * @throws BenchError not_design_owner, design_not_found.
 */
export function requireDesignOwner(context: ApiContext, caller: Caller, designId: string): void {
  const owner = context.designs.ownerOf(designId);
  if (!isEnforced(context) || caller.provenOperator || caller.key?.username === owner) return;
  throw authError('not_design_owner');
}

/**
 * Refuses a caller without the right that the contract requires for the route. The request is valid.
 * @throws BenchError not_session_holder, not_design_owner, job_not_found, design_not_found.
 */
export function requireHolding(context: ApiContext, request: FastifyRequest): void {
  const { caller, routeOptions, params, query } = request;
  const { holder } = routeOptions.config;
  if (!holder || (holder === 'stream' && asksToView(request))) return;
  const { fpga_id, job_id, design_id } = params as {
    fpga_id: number | undefined;
    job_id: string;
    design_id: string;
  };
  if (holder === 'design') {
    requireDesignOwner(context, caller, design_id);
    return;
  }
  const { pool } = context;
  const { follow, replace } = query as { follow?: boolean; replace?: boolean };
  if (holder === 'node' || holder === 'stream' || (holder === 'replace' && replace))
    requireHolder(context, caller, fpga_id as number);
  else if (fpga_id === undefined && context.away.has(job_id)) {
    const asked = holder === 'job' || (holder === 'follow' && follow);
    if (asked) requireAwayOwner(context, caller, context.away.ownerOf(job_id));
  } else if (holder === 'job' || (holder === 'follow' && follow))
    requireJobHolder(
      context,
      caller,
      fpga_id === undefined ? pool.findJob(job_id) : pool.job(fpga_id, job_id),
    );
}

/** The default owner in lists of jobs and designs: the caller, where it has a name. */
export const ownName = ({ owner, provenOperator }: Caller): string =>
  provenOperator || owner === 'anonymous' ? '*' : owner;

/** A node as this caller sees it: with enforcement on, only the holder gets the session id. */
export function forCaller<T extends { session: Session | null }>(
  context: ApiContext,
  caller: Caller,
  view: T,
): T {
  if (view.session === null || holds(context, caller, view.session)) return view;
  return { ...view, session: { ...view.session, session_id: NIL_UUID } };
}
