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
    remedy: 'Look whether its PC is on and its service runs; it is used again as soon as it answers.',
  },
  bench_answer_refused: {
    status: 502,
    message: 'The bench sent an answer that no bench sends.',
    remedy: 'Look at what listens at its address, and whether its version fits.',
  },
  bench_not_trusted: {
    status: 502,
    message: 'The certificate of the bench is not one to trust.',
    remedy:
      'Put the fingerprint of its certificate into the list; its operator finds it in the settings there.',
  },
  bench_version: {
    status: 502,
    message: 'The bench has a version that this one cannot work with.',
    remedy: 'Bring both benches to the same version.',
  },
  bench_refuses: {
    status: 502,
    message: 'The bench does not let this one in.',
    remedy: 'Give a key of that bench in the settings, or sign in there.',
  },
  bench_route_unknown: {
    status: 404,
    message: 'This is no route that is handed on to another bench.',
    remedy: 'Routes of the API are, one bench far; pages and the list of benches are not.',
  },
  job_bench_lost: {
    status: 502,
    message: 'The bench that took the job has not answered for ten minutes.',
    remedy: 'Submit the design again; what is left of the job there is ended when that bench answers.',
  },
  job_not_taken: {
    status: 502,
    message: 'The bench that the job was sent to does not know it.',
    remedy: 'Submit the design again: nothing of it was built.',
  },
});
