import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { jsonOf } from '../../capture/json.ts';
import type { Samples } from '../../capture/samples.ts';
import { vcdOf } from '../../capture/vcd.ts';
import type { CaptureFormat } from '../../contract/signals/signals.ts';
import { assertNever } from '../../errors/bench-error.ts';
import type { ApiContext } from '../context.ts';
import { requireStillAdmitted } from '../edge/caller.ts';
import { whileAllowed } from '../edge/streams.ts';
import { attachment } from '../serving/attachment.ts';
import { serve } from '../serving/serve.ts';
import { floorplanOf } from './floorplan.ts';

const MEDIA_TYPES: Readonly<Record<CaptureFormat, string>> = {
  json: 'application/json; charset=utf-8',
  vcd: 'text/plain; charset=utf-8',
  bin: 'application/octet-stream',
};

/** Streams samples in a format; pieces of this size let other requests run in between. */
function bodyOf(samples: Samples, format: CaptureFormat, date: string): Readable {
  switch (format) {
    case 'json':
      return Readable.from(inTurns(jsonOf(samples)), { objectMode: false });
    case 'vcd':
      return Readable.from(inTurns(vcdOf(samples, date)), { objectMode: false });
    case 'bin': {
      const { buffer, byteOffset, byteLength } = samples.data;
      return Readable.from([Buffer.from(buffer, byteOffset, byteLength)], { objectMode: false });
    }
    default:
      return assertNever(format);
  }
}

/** Yields to other requests between two pieces. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (piece !== '') yield Buffer.from(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

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
    const date = new Date(clock.now()).toISOString();
    return reply
      .type(MEDIA_TYPES[format])
      .header('content-disposition', attachment('attachment', `capture-${fpgaId}.${format}`))
      .send(bodyOf(samples, format, date));
  });

  serve(app, 'cancelCapture', async ({ params, reply }) => {
    await captures.cancel(params.fpga_id, params.capture_id);
    return reply.send();
  });

  serve(app, 'getBoardClock', ({ params }) => signals.clock(params.fpga_id));

  serve(app, 'setBoardClock', ({ params, body }) => signals.setClock(params.fpga_id, body));
}
