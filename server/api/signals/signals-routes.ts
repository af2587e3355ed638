import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { requireStillAdmitted } from '../edge/caller.ts';
import { whileAllowed } from '../edge/streams.ts';
import { serve } from '../serving/serve.ts';
import { floorplanOf } from './floorplan.ts';
import { sendSamples } from './samples-body.ts';

/** Routes of signals: names, values, captures, the clock. */
export function signalRoutes(app: FastifyInstance, context: ApiContext): void {
  const { signals, captures, clock } = context;

  serve(app, 'listSignals', ({ params, query: { match = '', limit = 1000 } }) =>
    signals.list(params.fpga_id, match, limit),
  );

  serve(app, 'readSignals', ({ params, query: { names = [] } }) => signals.values(params.fpga_id, names));

  serve(app, 'getFloorplan', ({ params, ...asked }) =>
    floorplanOf(context, signals.buildOf(params.fpga_id), asked),
  );

  serve(app, 'listCaptures', ({ params }) => captures.list(params.fpga_id));

  serve(app, 'startCapture', ({ params, body, caller }) =>
    captures.start(params.fpga_id, body, caller.owner),
  );

  serve(
    app,
    'getCapture',
    async ({ params: { fpga_id: fpgaId, capture_id: captureId }, query, caller, reply }) => {
      const { wait } = query;
      const view = captures.view(fpgaId, captureId);
      if (!wait || view.state !== 'running') return view;
      const check = () => requireStillAdmitted(context, caller, 'key');
      return await whileAllowed(context, 'wait', { caller, reply, check }, (signal) =>
        captures.ended(fpgaId, captureId, wait, signal),
      );
    },
  );

  serve(app, 'exportCapture', ({ params: { fpga_id: fpgaId, capture_id: captureId, format }, reply }) => {
    const samples = captures.samples(fpgaId, captureId);
    return sendSamples(reply, samples, format, { name: `capture-${fpgaId}`, now: clock.now() });
  });

  serve(app, 'cancelCapture', async ({ params, reply }) => {
    await captures.cancel(params.fpga_id, params.capture_id);
    return reply.send();
  });

  serve(app, 'getBoardClock', ({ params }) => signals.clock(params.fpga_id));

  serve(app, 'setBoardClock', ({ params, body }) => signals.setClock(params.fpga_id, body));
}
