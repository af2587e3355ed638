import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { serve } from '../serving/serve.ts';

const SMALL_BODY = 256 * 1024;

/** Routes of boards: the list, the slots, the board check, and the verified capabilities. */
export function boardRoutes(app: FastifyInstance, context: ApiContext): void {
  const { boards, checks } = context;

  serve(app, 'listBoards', () => ({ boards: boards.list(), problems: boards.problems() }));

  serve(
    app,
    'assignBoard',
    ({ params, body: { board, definition, mode } }) =>
      boards.assign(params.fpga_id, board, {
        ...(definition === undefined ? {} : { definition }),
        ...(mode === undefined ? {} : { mode }),
      }),
    { bodyBytes: () => SMALL_BODY },
  );

  serve(app, 'getCapabilities', () => context.capabilities());
  serve(app, 'runDoctor', () => context.doctor());

  serve(app, 'startBoardCheck', ({ params, caller }) =>
    checks.start(params.fpga_id, { owner: caller.owner }),
  );
  serve(app, 'getBoardCheck', ({ params, reply }) => checks.find(params.fpga_id) ?? reply.code(204).send());
  serve(app, 'getBoardCheckReport', ({ params, reply }) => {
    const text = checks.report(params.fpga_id);
    return reply.type('text/markdown; charset=utf-8').send(text);
  });
  serve(app, 'cancelBoardCheck', ({ params }) => checks.cancel(params.fpga_id));
}
