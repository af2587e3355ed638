import type { FastifyInstance } from 'fastify';
import type { SettingsResponse } from '../../contract/bench.ts';
import { DEFAULT_SETTINGS } from '../../contract/settings.ts';
import { authError } from '../../errors/auth.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { serve } from '../serve.ts';
import { benchStatus } from '../status.ts';

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

/** The bench as a whole: health, status, settings, boards, doctor. */
export function benchRoutes(app: FastifyInstance, context: ApiContext): void {
  const { settings, boards } = context;
  const small = { bodyBytes: () => SMALL_BODY };

  serve(app, 'getHealth', async ({ reply }) => {
    const store = await context.checkStore();
    if (!store) reply.code(503);
    return { status: store ? 'ok' : 'degraded', store };
  });

  serve(app, 'getStatus', ({ caller }) => benchStatus(context, caller));

  const settingsView = (): SettingsResponse => ({
    settings: settings.edited,
    defaults: DEFAULT_SETTINGS,
    restart_required: settings.restartRequired,
    notices: [...context.storeNotices, ...settings.notices],
  });

  serve(app, 'getSettings', settingsView);

  serve(
    app,
    'changeSettings',
    async ({ body: patch, caller }) => {
      if (patch.toolchain?.tool_folder !== undefined) requireToken(context, caller);
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
    small,
  );

  serve(app, 'listBoards', () => ({ boards: boards.list(), problems: boards.problems() }));

  serve(
    app,
    'assignBoard',
    ({ params, body: { board, definition, mode } }) =>
      boards.assign(params.fpga_id, board, {
        ...(definition === undefined ? {} : { definition }),
        ...(mode === undefined ? {} : { mode }),
      }),
    small,
  );

  serve(app, 'runDoctor', () => context.doctor());
}
