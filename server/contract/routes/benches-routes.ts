import Type from 'typebox';
import type { EndpointId } from '../endpoints.ts';
import { BenchView, OwnBench } from '../remote/benches.ts';
import { answer, type Route } from '../route.ts';

/** Routes of remote benches. */
export const BENCHES_ROUTES = {
  listBenches: {
    summary: 'This bench and every one that it knows',
    description:
      'The routes of each are reached below `/benches/{name}/`; see docs/benches.md. A bench that does not answer is `dead` within 5 s.',
    tag: 'bench',
    access: 'key',
    answers: { 200: answer('The benches, this one first.', Type.Array(BenchView)) },
  },

  getOwnBench: {
    summary: 'A summary of this bench for remote benches',
    tag: 'bench',
    access: 'key',
    answers: { 200: answer('The bench.', OwnBench) },
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
