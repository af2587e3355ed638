import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

const DESCRIPTION = `
The bench holds ten FPGA nodes. Submit an HDL source file to an idle node; the service builds it, programs the node and
reserves it for you; then read and write the registers of your design over Wishbone, and release the node.

Every operation on hardware is a job: the answer is 202 with a \`job_id\`. Ask for the job with \`?wait=60\`, or follow
\`/events\`. Errors have one form, \`{"detail": {"error", "message", "job_id"}}\`; docs/errors.md lists the codes.

Routes that are marked for the operator take the operator token, or, where the service was started without one, any
caller on the same computer.
`.trim();

/** Collects the schemas of all later routes into an OpenAPI 3.1 document. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(fastifySwagger, {
    // It applies to absolute server URLs only.
    stripBasePath: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Wishbench',
        summary: 'Remote FPGA orchestration service',
        description: DESCRIPTION,
        version,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // Relative to this document: the service has an address on every interface, and a reverse proxy may add a path.
      servers: [{ url: '.', description: 'This service.' }],
      tags: [
        { name: 'nodes', description: 'The ten nodes: submit, run, reset.' },
        { name: 'jobs', description: 'Requests and their outcomes.' },
        { name: 'sessions', description: 'Who holds a node.' },
        { name: 'signals', description: 'The signals of the running design.' },
        { name: 'live', description: 'Every change as it happens.' },
        { name: 'designs', description: 'Designs outside of nodes.' },
        { name: 'identity', description: 'API keys.' },
        { name: 'bench', description: 'The bench as a whole.' },
      ],
      components: {
        securitySchemes: {
          ApiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'Identifies the caller; recorded as owner. Enforced only if the operator chose so.',
          },
          SessionId: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Session-ID',
            description: 'Identifies the session that holds a node.',
          },
          OperatorToken: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Operator-Token',
            description: 'Identifies the operator of the bench: the desktop application sends it.',
          },
        },
      },
      security: [{}, { ApiKey: [] }, { ApiKey: [], SessionId: [] }, { OperatorToken: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `Schema${index}`,
    },
  });
}
