import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LiveEvent, SnapshotEvent } from '../../contract/events/events.ts';
import type { Job } from '../../contract/jobs/jobs.ts';
import { sharedStatus } from '../bench/status.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, forCaller, requireStillAdmitted } from '../edge/caller.ts';
import { headersOf } from '../edge/streams.ts';
import { serve } from '../serving/serve.ts';

/** Newest runs in the snapshot, and as many newest other jobs; older ones come from GET /jobs. */
const SNAPSHOT_JOBS = 200;

/** The newest jobs, and any older ones that the nodes refer to. */
function withNamed({ pool }: ApiContext, newest: Job[], named: readonly (string | null)[]): Job[] {
  const ids = new Set(newest.map(({ job_id }) => job_id));
  const missing = new Set(named.filter((id) => id !== null && !ids.has(id) && pool.knows(id)));
  const others = [...missing].flatMap((id): Job[] => {
    if (id === null) return [];
    const { fpga_id, ...job } = pool.findJob(id);
    return fpga_id === null ? [] : [{ ...job, fpga_id }];
  });
  return [...newest, ...others].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/** The whole state at this moment. */
function snapshot(context: ApiContext): SnapshotEvent {
  const nodes = context.pool.nodes();
  const newest = [
    ...context.pool.jobs({ types: ['build_and_program', 'reset'], limit: SNAPSHOT_JOBS }),
    ...context.pool.jobs({ types: ['run'], limit: SNAPSHOT_JOBS }),
  ];
  const named = nodes.flatMap(({ current_job_id, last_job_id, last_build }) => [
    current_job_id,
    last_job_id,
    last_build?.job_id ?? null,
  ]);
  return {
    type: 'snapshot',
    nodes,
    jobs: withNamed(context, newest, named),
    unplaced_jobs: context.pool.unplacedJobs({ limit: SNAPSHOT_JOBS }),
    boards: nodes.map(({ board }) => board),
    activity: context.pool.newestActivity(),
    status: sharedStatus(context),
    benches: context.benches.list(),
  };
}

/** With enforcement on, session ids go only to their holders, in events too. */
function viewOf(context: ApiContext, caller: Caller, event: LiveEvent): LiveEvent {
  if (event.type === 'node') {
    const node = forCaller(context, caller, event.node);
    return node === event.node ? event : { type: 'node', node };
  }
  if (event.type === 'snapshot')
    return { ...event, nodes: event.nodes.map((node) => forCaller(context, caller, node)) };
  return event;
}

/** Streams the pins of one node while the connection is open. */
async function streamPins(
  context: ApiContext,
  fpgaId: number,
  caller: Caller,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { livePins, pins, underway } = context;
  const response = reply.raw;
  let ended = false;
  const done = underway.begin('stream', {
    caller,
    check: () => requireStillAdmitted(context, caller, 'key'),
    end: () => {
      ended = true;
      livePins.end(response);
    },
  });
  const stop = pins.watch(fpgaId);
  response.once('close', () => {
    stop();
    done();
  });
  const headers = headersOf(reply);
  reply.hijack();
  const first = await pins.current(fpgaId);
  if (ended) response.destroy();
  if (response.destroyed) return reply;
  const view = (event: LiveEvent) =>
    (event.type !== 'pins' && event.type !== 'terminal') || event.fpga_id === fpgaId ? event : null;
  livePins.add(response, headers, { view, caller }, first);
  return reply;
}

/** GET /events. */
export function eventRoutes(app: FastifyInstance, context: ApiContext): void {
  serve(
    app,
    'streamEvents',
    ({ caller, reply, query }) => {
      if (query.pins !== undefined) return streamPins(context, query.pins, caller, reply);
      const response = reply.raw;
      const done = context.underway.begin('stream', {
        caller,
        check: () => requireStillAdmitted(context, caller, 'key'),
        end: () => context.live.end(response),
      });
      response.once('close', done);
      const headers = headersOf(reply);
      reply.hijack();
      const view = (event: LiveEvent) => viewOf(context, caller, event);
      context.live.add(response, headers, { view, caller }, snapshot(context));
      return reply;
    },
    { endless: true },
  );
}
