import { answer, answerList, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import { DesignForm, designOf } from '../designs.ts';
import { forCaller, requireHolder } from '../edge/caller.ts';
import { FORM_OVERHEAD, type Form } from '../edge/form.ts';
import { runOf } from '../runs.ts';
import { ref } from '../schemas/component.ts';
import { FpgaSummary, RunResponse, type runRequest, SubmitResponse } from '../schemas/contract.ts';
import { NodeDetails } from '../schemas/details.ts';
import { type Api, NodeParams } from './common.ts';

/** JSON text of a word: ten digits, a comma, and room for the indentation of whoever prints it. */
const BYTES_PER_WORD = 32;

/** Nodes: what they are, submit, run and reset. */
export function nodeRoutes(app: Api, context: ApiContext, RunRequest: ReturnType<typeof runRequest>): void {
  const { pool, settings } = context;
  const accepted = ({ job_id, fpga_id, status }: { job_id: string; fpga_id: number; status: string }) => ({
    job_id,
    fpga_id,
    status,
  });

  app.get(
    '/fpga',
    {
      schema: describe({
        id: 'listNodes',
        summary: 'All ten nodes',
        tag: 'nodes',
        ok: { 200: answerList('The nodes, by id.', FpgaSummary) },
      }),
    },
    async (request) => pool.nodes().map((node) => forCaller(context, request.caller, node)),
  );

  app.get(
    '/fpga/:fpga_id',
    {
      schema: describe({
        id: 'getNode',
        summary: 'One node',
        tag: 'nodes',
        params: NodeParams,
        ok: { 200: answer('The node.', FpgaSummary) },
      }),
    },
    async (request) => forCaller(context, request.caller, pool.node(request.params.fpga_id)),
  );

  app.get(
    '/fpga/:fpga_id/details',
    {
      schema: describe({
        id: 'getNodeDetails',
        summary: 'One node with its board, its design and the reason of an error',
        tag: 'nodes',
        params: NodeParams,
        ok: { 200: answer('The node in full.', NodeDetails) },
      }),
    },
    async (request) => forCaller(context, request.caller, pool.node(request.params.fpga_id)),
  );

  app.post(
    '/fpga/:fpga_id/submit',
    {
      config: { takes: 'form', bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
      schema: describe({
        id: 'submitDesign',
        summary: 'Build a design and program the node with it',
        description:
          'The node must be idle. The job ends with the node reserved for the caller; poll it, or use ?wait= and /events.',
        tag: 'nodes',
        params: NodeParams,
        body: DesignForm,
        consumes: ['multipart/form-data'],
        ok: { 202: answer('Accepted: the node is queued.', SubmitResponse) },
        errors: ['fpga_not_idle', 'queue_full', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      const design = designOf(request.body as unknown as Form, settings.current.limits.upload_bytes);
      const job = await pool.submit(request.params.fpga_id, design, { owner: request.caller.owner });
      return reply.code(202).send(accepted(job));
    },
  );

  app.post(
    '/fpga/:fpga_id/run',
    {
      config: {
        takes: 'json',
        bodyBytes: () => 64 * 1024 + BYTES_PER_WORD * settings.current.limits.words_per_run,
      },
      schema: describe({
        id: 'runTransaction',
        summary: 'Write or read words over Wishbone',
        tag: 'nodes',
        params: NodeParams,
        body: ref(RunRequest),
        ok: { 202: answer('Accepted: the run is queued behind the node’s other jobs.', RunResponse) },
        errors: ['fpga_not_reserved', 'not_session_holder', 'queue_full', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      const run = runOf(request.body);
      requireHolder(context, request.caller, request.params.fpga_id);
      const job = await pool.run(request.params.fpga_id, run, { owner: request.caller.owner });
      return reply.code(202).send(accepted(job));
    },
  );

  app.post(
    '/fpga/:fpga_id/reset',
    {
      schema: describe({
        id: 'resetNode',
        summary: 'Reflash the base SoC and return the node to idle',
        description: 'While a reset or release is pending, the answer is that job.',
        tag: 'nodes',
        params: NodeParams,
        ok: { 202: answer('Accepted.', SubmitResponse) },
        errors: ['fpga_not_resettable', 'not_session_holder', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      requireHolder(context, request.caller, request.params.fpga_id);
      const job = await pool.reset(request.params.fpga_id, { owner: request.caller.owner });
      return reply.code(202).send(accepted(job));
    },
  );
}
