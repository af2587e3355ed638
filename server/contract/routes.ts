import type { EndpointId } from './endpoints.ts';
import type { Route } from './route.ts';
import { BENCH_ROUTES } from './routes/bench.ts';
import { BENCHES_ROUTES } from './routes/benches.ts';
import { BOARDS_ROUTES } from './routes/boards.ts';
import { CONTROL_ROUTES } from './routes/control.ts';
import { CSR_ROUTES } from './routes/csr.ts';
import { DESIGNS_ROUTES } from './routes/designs.ts';
import { EVENTS_ROUTES } from './routes/events.ts';
import { IDENTITY_ROUTES } from './routes/identity.ts';
import { JOBS_ROUTES } from './routes/jobs.ts';
import { KEPT_DESIGNS_ROUTES } from './routes/kept-designs.ts';
import { NODES_ROUTES } from './routes/nodes.ts';
import { PINS_ROUTES } from './routes/pins.ts';
import { REGISTER_MAPS_ROUTES } from './routes/register-maps.ts';
import { SCRIPTS_ROUTES } from './routes/scripts.ts';
import { SIGNALS_ROUTES } from './routes/signals.ts';
import { STREAM_ROUTES } from './routes/stream.ts';

/** Every route of the service: the one statement of what is said over the wire and of who may say it. */
export const ROUTES = {
  ...NODES_ROUTES,
  ...CONTROL_ROUTES,
  ...PINS_ROUTES,
  ...CSR_ROUTES,
  ...STREAM_ROUTES,
  ...JOBS_ROUTES,
  ...DESIGNS_ROUTES,
  ...KEPT_DESIGNS_ROUTES,
  ...REGISTER_MAPS_ROUTES,
  ...SCRIPTS_ROUTES,
  ...SIGNALS_ROUTES,
  ...IDENTITY_ROUTES,
  ...BENCH_ROUTES,
  ...EVENTS_ROUTES,
  ...BENCHES_ROUTES,
  ...BOARDS_ROUTES,
} as const satisfies Record<EndpointId, Route>;

export type Routes = typeof ROUTES;
