import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Job } from '../../contract/jobs.ts';
import type { Session } from '../../contract/nodes.ts';
import type { Access } from '../../contract/route.ts';
import { authError } from '../../errors/auth.ts';
import type { ApiContext } from '../context.ts';
import { type KeyRecord, looksMinted } from '../identity/keys.ts';

/** Who sent a request. */
export interface Caller {
  /** Recorded as owner of jobs and sessions. */
  owner: string;
  /** The minted key, when a valid one was sent. */
  key: KeyRecord | null;
  /** A key was sent, valid or not. */
  sentKey: boolean;
  /** X-Session-ID as sent. */
  sessionId: string | null;
  /** Sent the operator token. */
  operatorToken: boolean;
  /** May change settings and boards. */
  operator: boolean;
  /** On this computer. */
  loopback: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    access?: Access;
  }
}

/** Longest owner that is recorded; the rest of a longer header is dropped. */
const LONGEST_OWNER = 128;
/** Shown instead of a session id to those who do not hold the session. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const header = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? value : (value?.[0] ?? null);

/** Node reads headers as Latin-1; names are sent as UTF-8 by nearly everybody. */
function utf8(text: string): string {
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}

/** The header's text as a name: printable, one line, bounded. Never a minted key, not even a revoked one. */
function ownerOf(text: string | null): string {
  if (text === null || looksMinted(text)) return 'anonymous';
  const printable = utf8(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const bounded = [...printable].slice(0, LONGEST_OWNER).join('');
  return bounded === '' ? 'anonymous' : bounded;
}

const same = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && /^(::1$|(::ffff:)?127\.)/.test(address);

/** @throws BenchError invalid_operator_token. */
export function identify(context: ApiContext, request: FastifyRequest): Caller {
  const loopback = isLoopback(request.socket.remoteAddress);
  const token = header(request.headers['x-operator-token']);
  if (token !== null && (context.operatorToken === null || !same(token, context.operatorToken)))
    throw authError('invalid_operator_token');
  const text = header(request.headers['x-api-key']);
  const key = text === null ? null : context.keys.find(text.trim());
  return {
    owner: key?.username ?? ownerOf(text),
    key,
    sentKey: text !== null && text.trim() !== '',
    sessionId: header(request.headers['x-session-id']),
    operatorToken: token !== null,
    operator: token !== null || (context.operatorToken === null && loopback),
    loopback,
  };
}

/** @throws BenchError when the caller may not use a route of this kind. */
export function admit(context: ApiContext, caller: Caller, access: Access): void {
  if (access === 'open') return;
  if (access === 'operator') {
    if (caller.operator) return;
    admit(context, caller, 'key');
    throw authError('operator_only');
  }
  if (!context.settings.current.auth.enforcement || caller.key || caller.operatorToken) return;
  throw authError(caller.sentKey ? 'invalid_api_key' : 'missing_api_key');
}

/** True when the caller may act on the node that the session holds, or enforcement is off. */
function holds(context: ApiContext, caller: Caller, session: Session | null): boolean {
  if (!context.settings.current.auth.enforcement || caller.operatorToken || session === null) return true;
  return caller.key?.username === session.owner || caller.sessionId === session.session_id;
}

/** @throws BenchError not_session_holder. */
export function requireHolder(context: ApiContext, caller: Caller, fpgaId: number): void {
  if (!holds(context, caller, context.pool.node(fpgaId).session)) throw authError('not_session_holder');
}

/**
 * A job belongs to who asked for it and to who holds the node. Another caller's job may not be cancelled, nor its
 * log be followed.
 * @throws BenchError not_session_holder.
 */
export function requireJobHolder(context: ApiContext, caller: Caller, job: Job): void {
  if (!context.settings.current.auth.enforcement || caller.operatorToken) return;
  if (caller.key?.username === job.owner) return;
  const { session } = context.pool.node(job.fpga_id);
  if (session !== null && holds(context, caller, session)) return;
  throw authError('not_session_holder');
}

/** A view of a node for this caller: the session id is the holder's alone while keys are enforced. */
export function forCaller<T extends { session: Session | null }>(
  context: ApiContext,
  caller: Caller,
  view: T,
): T {
  if (view.session === null || holds(context, caller, view.session)) return view;
  return { ...view, session: { ...view.session, session_id: NIL_UUID } };
}
