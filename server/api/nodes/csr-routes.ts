import type { FastifyInstance } from 'fastify';
import type { CsrMap } from '../../contract/nodes/csr.ts';
import { csrCsv, csrMapOf } from '../../etherbone/csr-map.ts';
import type { ApiContext } from '../context.ts';
import { serve } from '../serving/serve.ts';

/** Routes of csr.csv and csr.json, which LiteX's tools read before they connect to a node. */
export function csrRoutes(app: FastifyInstance, { pool, boards, designs }: ApiContext): void {
  async function mapOf(fpgaId: number): Promise<CsrMap> {
    const node = pool.node(fpgaId);
    const designId = node.design?.design_id;
    const map = designId ? await designs.document(designId, 'map').catch(() => null) : null;
    return csrMapOf(node, boards.board(fpgaId).definition.clock.hz, map);
  }

  serve(app, 'getCsrJson', ({ params }) => mapOf(params.fpga_id));
  serve(app, 'getCsrCsv', async ({ params, reply }) =>
    reply.type('text/csv; charset=utf-8').send(csrCsv(await mapOf(params.fpga_id))),
  );
}
