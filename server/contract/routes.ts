import type { EndpointId } from './endpoints.ts';
import type { Route } from './route.ts';
import { ASSIGNMENTS_ROUTES } from './routes/assignments-routes.ts';
import { BENCH_ROUTES } from './routes/bench-routes.ts';
import { BENCHES_ROUTES } from './routes/benches-routes.ts';
import { BOARDS_ROUTES } from './routes/boards-routes.ts';
import { CONTROL_ROUTES } from './routes/control-routes.ts';
import { COURSES_ROUTES } from './routes/courses-routes.ts';
import { CSR_ROUTES } from './routes/csr-routes.ts';
import { DESIGNS_ROUTES } from './routes/designs-routes.ts';
import { EVENTS_ROUTES } from './routes/events-routes.ts';
import { IDENTITY_ROUTES } from './routes/identity-routes.ts';
import { JOBS_ROUTES } from './routes/jobs-routes.ts';
import { NODES_ROUTES } from './routes/nodes-routes.ts';
import { PINS_ROUTES } from './routes/pins-routes.ts';
import { REGISTER_MAPS_ROUTES } from './routes/register-maps-routes.ts';
import { SCAN_ROUTES } from './routes/scan-routes.ts';
import { SCRIPTS_ROUTES } from './routes/scripts-routes.ts';
import { SIGNALS_ROUTES } from './routes/signals-routes.ts';
import { STREAM_ROUTES } from './routes/stream-routes.ts';

/** Every route of the service: the only definition of requests, answers and access. */
export const ROUTES = {
  ...NODES_ROUTES,
  ...CONTROL_ROUTES,
  ...PINS_ROUTES,
  ...CSR_ROUTES,
  ...STREAM_ROUTES,
  ...JOBS_ROUTES,
  ...SCAN_ROUTES,
  ...DESIGNS_ROUTES,
  ...REGISTER_MAPS_ROUTES,
  ...SCRIPTS_ROUTES,
  ...SIGNALS_ROUTES,
  ...IDENTITY_ROUTES,
  ...COURSES_ROUTES,
  ...ASSIGNMENTS_ROUTES,
  ...BENCH_ROUTES,
  ...EVENTS_ROUTES,
  ...BENCHES_ROUTES,
  ...BOARDS_ROUTES,
} as const satisfies Record<EndpointId, Route>;

export type Routes = typeof ROUTES;
