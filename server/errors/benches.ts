import { defineErrors } from './bench-error.ts';

/** Errors of remote benches, as this bench sees them. */
export const benchesError = defineErrors({
  bench_not_known: {
    status: 404,
    message: 'No bench of that name is known.',
    remedy: 'GET /benches lists them; the settings take the address of another one.',
  },
  bench_dead: {
    status: 502,
    message: 'The bench does not answer.',
    remedy: 'Check that its PC is on and its service runs; this bench uses it again as soon as it answers.',
  },
  bench_answer_refused: {
    status: 502,
    message: 'The bench sent an invalid answer.',
    remedy: 'Check which program listens at its address, and its version.',
  },
  bench_not_trusted: {
    status: 502,
    message: 'The certificate of the bench is not trusted.',
    remedy:
      'Put the fingerprint of its certificate into the list; its operator finds it in the settings there.',
  },
  bench_version: {
    status: 502,
    message: 'The bench has an incompatible version.',
    remedy: 'Bring both benches to the same version.',
  },
  bench_refuses: {
    status: 502,
    message: 'The bench refuses requests from this bench.',
    remedy: 'Enter a key of that bench in the settings, or sign in there.',
  },
  bench_route_unknown: {
    status: 404,
    message: 'This route is not forwarded to another bench.',
    remedy: 'API routes are forwarded once; pages and the list of benches are not forwarded.',
  },
  job_bench_lost: {
    status: 502,
    message: 'The bench that took the job has not answered for ten minutes.',
    remedy: 'Submit the design again; the old job is ended when that bench answers.',
  },
  job_not_taken: {
    status: 502,
    message: 'The bench that the job was sent to does not know it.',
    remedy: 'Submit the design again: nothing of it was built.',
  },
});
