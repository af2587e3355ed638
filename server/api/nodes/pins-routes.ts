import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { serve } from '../serving/serve.ts';

/** Routes of the design's pins. */
export function pinRoutes(app: FastifyInstance, { pins }: ApiContext): void {
  serve(app, 'listPins', ({ params }) => pins.read(params.fpga_id));
  serve(
    app,
    'readTerminal',
    async ({ params, query, reply }) =>
      (await pins.readTerminal(params.fpga_id, query.from)) ?? reply.code(204).send(),
  );
  serve(app, 'sendToTerminal', ({ params, body }) => pins.sendToTerminal(params.fpga_id, body));
  serve(app, 'setPins', ({ params, body }) => pins.set(params.fpga_id, body.pins));
}
