import Type from 'typebox';
import type { EndpointId } from '../endpoints.ts';
import { ControlQuestion, ControlRequest, HandOverRequest, MAX_CONTROL_REQUESTS } from '../nodes/control.ts';
import { Happening, HappeningQuery } from '../nodes/happenings.ts';
import { Session } from '../nodes/nodes.ts';
import { answer, answerEmpty, type Route } from '../route.ts';
import { NodeParams } from './shared.ts';

/** Who wants a node, who gets it, and what happened on it. */
export const CONTROL_ROUTES = {
  listHappenings: {
    summary:
      'Who took, released, reset or handed over the node, and what else befell its sessions, newest first',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: HappeningQuery,
    answers: { 200: answer('The happenings.', Type.Array(Happening)) },
  },

  askForControl: {
    summary: 'Ask who holds the node for control of it',
    description: `The question is in the node’s details until it is taken back or answered, or the session ends. Of one owner there is one, the newest; of all at most ${MAX_CONTROL_REQUESTS}.`,
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: ControlRequest },
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The question.', ControlQuestion) },
    errors: ['no_active_session', 'already_holder', 'too_many_questions'],
  },

  takeQuestionBack: {
    summary: 'Take the question for control of the node back',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    answers: { 204: answerEmpty('The question is gone.') },
    errors: ['no_question'],
  },

  handOverSession: {
    summary: 'Hand the session over to somebody else',
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
      'fpga_not_reserved',
      'not_session_holder',
      'already_holder',
      'store_unavailable',
    ],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
