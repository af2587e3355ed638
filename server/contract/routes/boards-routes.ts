import Type from 'typebox';
import { BoardCheck } from '../boards/board-checks.ts';
import { AssignRequest, BoardList, BoardView, Finding } from '../boards/boards.ts';
import { CapabilityReport } from '../boards/capabilities.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerEmpty, answerFile, type Route } from '../route.ts';
import { NodeParams } from './shared.ts';

/** Routes of boards, their slots and their checks. */
export const BOARDS_ROUTES = {
  listBoards: {
    summary: 'The boards that the bench knows of',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answer('Boards in slots, then boards without one.', BoardList) },
  },

  assignBoard: {
    summary: 'Put a board into a slot',
    description: 'The node of the slot must be idle. `null` gives the slot its virtual board back.',
    tag: 'bench',
    access: 'operator',
    params: NodeParams,
    body: { takes: 'json', schema: AssignRequest },
    answers: { 200: answer('The board that is in the slot now.', BoardView) },
    errors: ['board_unknown', 'board_ambiguous', 'board_unsupported', 'board_slot_busy', 'store_unavailable'],
  },

  getCapabilities: {
    summary: 'The verified boards, systems and methods',
    tag: 'bench',
    access: 'key',
    answers: { 200: answer('The boards of the catalogue.', CapabilityReport) },
  },

  startBoardCheck: {
    summary: 'Check the board in a slot, step by step',
    description:
      'The node must be idle, or in error without a session: then it is reset first. The check submits a design of its own in the name of the caller, makes runs, and releases the node. Poll GET until `state` is not `running`.',
    tag: 'bench',
    access: 'operator',
    needs: { states: ['idle', 'error'], otherwise: 'fpga_not_idle' },
    params: NodeParams,
    answers: { 202: answer('The check has begun.', BoardCheck) },
    errors: ['check_running', 'fpga_not_idle', 'service_stopping', 'store_unavailable'],
  },

  getBoardCheck: {
    summary: 'The running or last check of a board',
    tag: 'bench',
    access: 'operator',
    params: NodeParams,
    answers: {
      200: answer('The check so far.', BoardCheck),
      204: answerEmpty('The board has not been checked yet.'),
    },
  },

  getBoardCheckReport: {
    summary: 'The check as a Markdown file',
    tag: 'bench',
    access: 'operator',
    params: NodeParams,
    answers: {
      200: answerFile('The report as Markdown, with its data as JSON at the end.', 'text/markdown'),
    },
    errors: ['no_board_check'],
  },

  cancelBoardCheck: {
    summary: 'Cancel a check and release the node',
    description: 'A build that has started is completed first. A check that has ended is unchanged.',
    tag: 'bench',
    access: 'operator',
    params: NodeParams,
    answers: { 202: answer('The check; `cancelling` until it has ended.', BoardCheck) },
    errors: ['no_board_check'],
  },

  runDoctor: {
    summary: 'Problems between this computer and its boards',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answer('Findings, each with its remedy.', Type.Array(Finding)) },
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
