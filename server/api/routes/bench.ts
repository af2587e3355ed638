import { DEFAULT_SETTINGS } from '../../contract/settings.ts';
import { authError } from '../../errors/auth.ts';
import { answer, answerList, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import {
  AssignRequest,
  BenchStatus,
  BoardList,
  Finding,
  SettingsRequest,
  SettingsResponse,
} from '../schemas/bench.ts';
import { ref } from '../schemas/component.ts';
import { BoardView } from '../schemas/details.ts';
import { benchStatus } from '../status.ts';
import { type Api, NodeParams } from './common.ts';

const SMALL_BODY = 256 * 1024;

/**
 * A folder of programs is as good as running one of them: who is trusted only because he is on this computer may
 * not set it over HTTP.
 */
function requireToken(context: ApiContext, caller: Caller): void {
  if (caller.operatorToken) return;
  throw authError('operator_only', {
    message: 'The folder of the native tools can be set only with the operator token.',
    remedy:
      context.operatorToken === null
        ? 'Start the service with WISHBENCH_OPERATOR_TOKEN set, or change settings.json while it is stopped.'
        : 'Do it in the desktop application.',
  });
}

/** The bench as a whole: status, settings, boards, doctor. */
export function benchRoutes(app: Api, context: ApiContext): void {
  const { settings, boards } = context;

  app.get(
    '/status',
    {
      schema: describe({
        id: 'getStatus',
        summary: 'What the status strip shows',
        tag: 'bench',
        ok: { 200: answer('The bench as it is.', BenchStatus) },
      }),
    },
    async (request) => benchStatus(context, request.caller),
  );

  const settingsView = () => ({
    settings: settings.edited,
    defaults: DEFAULT_SETTINGS,
    restart_required: settings.restartRequired,
    notices: [...context.storeNotices, ...settings.notices],
  });

  app.get(
    '/settings',
    {
      config: { access: 'operator' },
      schema: describe({
        id: 'getSettings',
        summary: 'The settings',
        tag: 'bench',
        access: 'operator',
        ok: {
          200: answer('The settings, their defaults, and what the operator should know.', SettingsResponse),
        },
      }),
    },
    async () => settingsView(),
  );

  app.put(
    '/settings',
    {
      config: { access: 'operator', takes: 'json', bodyBytes: () => SMALL_BODY },
      schema: describe({
        id: 'changeSettings',
        summary: 'Change settings',
        description:
          'Fields that are absent keep their value. Listening on the LAN switches enforcement of keys on with it; switching that off again takes a request of its own.',
        tag: 'bench',
        access: 'operator',
        body: ref(SettingsRequest),
        ok: { 200: answer('The settings after the change.', SettingsResponse) },
        errors: ['address_unavailable', 'store_unavailable'],
      }),
    },
    async (request) => {
      const patch = request.body;
      if (patch.toolchain?.tool_folder !== undefined) requireToken(context, request.caller);
      const problems = settings.problems(patch);
      if (problems.length > 0)
        throw validationError(
          problems.map(({ loc, msg }) => ({ loc: ['body', ...loc], msg, type: 'value_error' })),
        );
      const lan = patch.network?.lan;
      const before = settings.current.network.lan;
      if (lan !== undefined && lan !== before) await context.listenOnLan(lan);
      try {
        await settings.apply(patch);
      } catch (error) {
        if (lan !== undefined && lan !== before) await context.listenOnLan(before);
        throw error;
      }
      return settingsView();
    },
  );

  app.get(
    '/boards',
    {
      config: { access: 'operator' },
      schema: describe({
        id: 'listBoards',
        summary: 'The boards that the bench knows of',
        tag: 'bench',
        access: 'operator',
        ok: { 200: answer('Boards in slots, then boards without one.', BoardList) },
      }),
    },
    async () => ({ boards: boards.list(), problems: boards.problems() }),
  );

  app.put(
    '/boards/:fpga_id',
    {
      config: { access: 'operator', takes: 'json', bodyBytes: () => SMALL_BODY },
      schema: describe({
        id: 'assignBoard',
        summary: 'Put a board into a slot',
        description: 'The node of the slot must be idle. `null` gives the slot its virtual board back.',
        tag: 'bench',
        access: 'operator',
        params: NodeParams,
        body: ref(AssignRequest),
        ok: { 200: answer('The board that is in the slot now.', BoardView) },
        errors: [
          'board_unknown',
          'board_ambiguous',
          'board_unsupported',
          'board_slot_busy',
          'store_unavailable',
        ],
      }),
    },
    async (request) => {
      const { board, definition, mode } = request.body;
      return boards.assign(request.params.fpga_id, board, {
        ...(definition === undefined ? {} : { definition }),
        ...(mode === undefined ? {} : { mode }),
      });
    },
  );

  app.get(
    '/doctor',
    {
      config: { access: 'operator' },
      schema: describe({
        id: 'runDoctor',
        summary: 'What stands between this computer and its boards',
        tag: 'bench',
        access: 'operator',
        ok: { 200: answerList('Findings, each with its remedy.', Finding) },
      }),
    },
    async () => context.doctor(),
  );
}
