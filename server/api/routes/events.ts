import type { BoardView } from '../../contract/boards.ts';
import type { LiveEvent, SnapshotEvent } from '../../contract/events.ts';
import { answerText, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, forCaller } from '../edge/caller.ts';
import { headersOf } from '../edge/streams.ts';
import { sharedStatus } from '../status.ts';
import type { Api } from './common.ts';

/** Newest jobs in the snapshot; older ones come from GET /jobs. */
const SNAPSHOT_JOBS = 200;

/** Everything as it is at this moment. */
function snapshot(context: ApiContext): SnapshotEvent {
  const nodes = context.pool.nodes();
  const boards: BoardView[] = nodes.map(({ board }) => board);
  return {
    type: 'snapshot',
    nodes,
    jobs: context.pool.jobs({ limit: SNAPSHOT_JOBS }),
    boards,
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
export function eventRoutes(app: Api, context: ApiContext): void {
  app.get(
    '/events',
    {
      exposeHeadRoute: false,
      schema: describe({
        id: 'streamEvents',
        summary: 'Every change as server-sent events',
        description:
          'The first event is `snapshot` with all nodes, the newest jobs, the boards and the status, so nothing is lost by connecting again; Last-Event-ID may be sent and is not needed. Then `node`, `job`, `job_removed`, `log`, `board` and `status` as they happen, and `heartbeat` after 15 s without another. Each `data:` line is one JSON object with its `type`. A client that does not read is disconnected.',
        tag: 'live',
        ok: { 200: answerText('The stream.', 'text/event-stream') },
        errors: ['too_many_streams'],
      }),
    },
    (request, reply) => {
      context.live.requireRoom();
      const { caller } = request;
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
    },
  );
}
