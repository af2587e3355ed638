import Type from 'typebox';
import type { EndpointId } from '../endpoints.ts';
import { ActivityEntry, ActivityQuery } from '../nodes/activity.ts';
import {
  ControlRequest,
  DeclineRequest,
  HandOverRequest,
  MAX_CONTROL_REQUESTS,
  NewControlRequest,
} from '../nodes/control.ts';
import { Session } from '../nodes/nodes.ts';
import { answer, answerEmpty, type Route } from '../route.ts';
import { NodeParams } from './shared.ts';

/** Routes of control requests, hand-over and activity. */
export const CONTROL_ROUTES = {
  listActivity: {
    summary: 'The activity of a node, newest first',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: ActivityQuery,
    answers: { 200: answer('The entries.', Type.Array(ActivityEntry)) },
  },

  requestControl: {
    summary: 'Request control of the node from its holder',
    description: `The request is in the node’s details until it is withdrawn, declined or granted, or the session ends. Each owner has one, the newest; a node has at most ${MAX_CONTROL_REQUESTS}.`,
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: NewControlRequest },
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The control request.', ControlRequest) },
    errors: ['no_active_session', 'already_holder', 'too_many_control_requests'],
  },

  withdrawControlRequest: {
    summary: 'Withdraw the control request',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    answers: { 204: answerEmpty('The control request is withdrawn.') },
    errors: ['no_control_request'],
  },

  declineControlRequest: {
    summary: 'Decline a control request',
    description:
      'The session stays as it is. The activity of the node shows who declined, and whose request.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: DeclineRequest },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 204: answerEmpty('The control request is declined.') },
    errors: ['no_active_session', 'not_session_holder', 'no_control_request'],
  },

  extendSession: {
    summary: 'Extend the session by a whole lifetime',
    description: 'The session ends `sessions.ttl_seconds` from now, as after a run. The board is not used.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The session with its new end.', Session) },
    errors: ['no_active_session', 'not_session_holder', 'share_used_up', 'store_unavailable'],
  },

  handOverSession: {
    summary: 'Hand the session over to another owner',
    description:
      'The design and its registers stay as they are, and jobs that wait still run. The session has a new id and a whole lifetime; streams of the old one are closed.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: HandOverRequest },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The session of the new holder.', Session) },
    errors: [
      'no_active_session',
      'share_used_up',
      'fpga_not_reserved',
      'not_session_holder',
      'already_holder',
      'store_unavailable',
    ],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
