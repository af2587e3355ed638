import type { FastifyInstance } from 'fastify';
import type { LiveEvent, SnapshotEvent } from '../../contract/events.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, forCaller } from '../edge/caller.ts';
import { headersOf } from '../edge/streams.ts';
import { serve } from '../serve.ts';
import { sharedStatus } from '../status.ts';

/** Newest jobs in the snapshot; older ones come from GET /jobs. */
const SNAPSHOT_JOBS = 200;

/** Everything as it is at this moment. */
function snapshot(context: ApiContext): SnapshotEvent {
  const nodes = context.pool.nodes();
  return {
    type: 'snapshot',
    nodes,
    jobs: context.pool.jobs({ limit: SNAPSHOT_JOBS }),
    boards: nodes.map(({ board }) => board),
    status: sharedStatus(context),
  };
}

/** Session ids are their holders' while keys are enforced, in events too. */
function viewOf(context: ApiContext, caller: Caller, event: LiveEvent): LiveEvent {
  if (event.type === 'node') {
    const node = forCaller(context, caller, event.node);
    return node === event.node ? event : { type: 'node', node };
  }
  if (event.type === 'snapshot')
    return { ...event, nodes: event.nodes.map((node) => forCaller(context, caller, node)) };
  return event;
}

/** GET /events. */
export function eventRoutes(app: FastifyInstance, context: ApiContext): void {
  serve(
    app,
    'streamEvents',
    ({ caller, reply }) => {
      context.live.requireRoom();
      const headers = headersOf(reply);
      reply.hijack();
      context.live.add(
        reply.raw,
        headers,
        {
          view: (event) => viewOf(context, caller, event),
          keyId: caller.key?.id ?? null,
          loopback: caller.loopback,
        },
        snapshot(context),
      );
      return reply;
    },
    { endless: true },
  );
}
