import type { EndpointId } from '../endpoints.ts';
import { EventQuery, LiveEvent } from '../events/events.ts';
import type { Route } from '../route.ts';

/** Routes of the event stream. */
export const EVENTS_ROUTES = {
  streamEvents: {
    summary: 'Every change as server-sent events',
    description:
      'The first event is `snapshot` with all nodes, the newest jobs, the boards and the status, so nothing is lost by connecting again; Last-Event-ID may be sent and is not needed. Then `node`, `job`, `job_removed`, `unplaced_job`, `unplaced_job_removed`, `log`, `board`, `activity`, `status`, `bench`, `bench_removed` and `pins` as they happen, and `heartbeat` after 15 s without another. Each `data:` line is one JSON object with its `type`. A client that does not read is disconnected.',
    tag: 'live',
    access: 'key',
    query: EventQuery,
    answers: {
      200: {
        description: 'The stream; each event has this form.',
        mediaType: 'text/event-stream',
        schema: LiveEvent,
      },
    },
    errors: ['too_many_open', 'too_many_streams'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
